// For tests: a certificate in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "certificate_reader.hpp"

namespace tideline::certify {

class BytesInMemory : public Bytes {
 public:
  explicit BytesInMemory(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<std::byte> to) const override {
    std::ranges::copy(std::span(bytes_).subspan(offset, to.size()), to.begin());
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace tideline::certify
