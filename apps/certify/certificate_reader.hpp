// Reads certificates (docs/certificates.md). A certificate is input from a stranger: every number is checked before it
// is used, and memory is bounded by a frame and by some bytes for each block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "certificate/format/format.hpp"

namespace tideline::certify {

/// The certificate does not prove what it should; what() says why.
class Refused : public std::exception {
 public:
  explicit Refused(std::string reason) : reason_(std::move(reason)) {}
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string reason_;
};

/// A property as the certificate names it.
struct NamedProperty {
  std::string name, kind, formula;
};

struct Block {
  std::uint64_t offset = 0;  ///< of its frame in the file
  std::uint64_t frame = 0;   ///< its number
  std::uint64_t first = 0;   ///< the number of its first state in the section
  certificate::FrameHeader header = {};
};

struct Section {
  std::string kind;
  std::vector<NamedProperty> properties = {};
  bool buchi = false;  ///< which automaton of a formula is meant: see Translation
  std::size_t state_bytes = 0, extra_bytes = 0;
  std::uint64_t states = 0;
  std::vector<Block> blocks = {};
  std::vector<std::byte> firsts = {};  ///< the first state of each block

  const std::byte* first_of(std::size_t block) const { return firsts.data() + block * state_bytes; }
};

/// The bytes of a certificate. Any number of threads may read.
class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual std::uint64_t size() const = 0;
  /// There must be so many. Throws Error(io).
  virtual void read(std::uint64_t offset, std::span<std::byte> to) const = 0;
};

/// Throws Error(io).
std::unique_ptr<Bytes> open_bytes(const std::string& file);

class CertificateReader {
 public:
  /// Reads everything but blocks. Throws Refused, Error(io).
  explicit CertificateReader(std::unique_ptr<Bytes> bytes);

  const std::string& model() const { return model_; }
  const std::string& digest() const { return digest_; }
  const std::vector<Section>& sections() const { return sections_; }

  /// The content of a block, not compressed. Throws Refused, Error(io).
  void read(const Section& section, const Block& block, std::vector<std::byte>& content) const;

 private:
  certificate::FrameHeader header_at(std::uint64_t offset) const;
  std::vector<std::byte> stored(const certificate::FrameHeader& header, std::uint64_t offset,
                                std::uint64_t frame) const;
  void read_section(std::uint64_t& offset, std::uint64_t& frame);

  std::unique_ptr<Bytes> bytes_;
  std::string model_, digest_;
  std::vector<Section> sections_;
};

/// Goes through the states of a block.
class BlockCursor {
 public:
  BlockCursor(const CertificateReader& reader, const Section& section) : reader_(reader), section_(section) {}

  /// Throws Refused, Error(io).
  void load(std::size_t block);
  /// Goes to the next state; false: there is none. Throws Refused when it is not greater than the one before.
  bool next();

  std::size_t block() const { return block_; }
  const std::byte* state() const { return state_.data(); }
  /// What is beside the state.
  const std::byte* extras() const {
    return content_.data() + rests_end_ + (taken_ - 1) * section_.extra_bytes;
  }
  /// A number of four bytes there.
  std::uint32_t extra(std::size_t number) const;
  /// Of the state in the section.
  std::uint64_t number() const { return section_.blocks[block_].first + taken_ - 1; }

 private:
  const CertificateReader& reader_;
  const Section& section_;
  std::size_t block_ = 0;
  std::uint32_t taken_ = 0;  // states of the block
  std::vector<std::byte> content_, state_;
  std::size_t rest_ = 0, rests_end_ = 0;  // in the content
};

}  // namespace tideline::certify
