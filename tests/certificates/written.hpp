// For tests: certificates that were written, read again, and changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bind/selection.hpp"
#include "certificate_reader.hpp"
#include "checking/settings.hpp"
#include "lang/lang.hpp"

namespace tideline::certify {

/// A file that is removed in the end.
class ScratchFile {
 public:
  ScratchFile();
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::vector<std::byte> bytes_of(const std::string& file);

struct Written {
  std::string refusal = {};           ///< why the check was not begun
  std::vector<std::byte> bytes = {};  ///< empty: nothing was proven
};

/// Checks the model, and returns the certificate.
Written write_certificate(const Model& model, const std::vector<Property>& properties, Settings settings);

/// Why the certificate is refused; empty: it is accepted.
std::string refusal(const std::vector<std::byte>& bytes, const Model& model,
                    const std::vector<Property>& properties, ErrorSemantics errors = ErrorSemantics::stop,
                    unsigned threads = 1, std::uint64_t memory = std::uint64_t{1} << 20);

/// A state of a section, with what is beside it.
struct Record {
  std::vector<std::byte> state;
  std::vector<std::uint32_t> extra;
};

/// A certificate of one section, whoever it is by: `section` says its kind, properties and sizes.
std::vector<std::byte> forged(const System& system, const Section& section,
                              const std::vector<Record>& records);

/// The certificate with other states: change(records) for each section.
std::vector<std::byte> changed(const std::vector<std::byte>& bytes,
                               const std::function<void(std::vector<Record>& records)>& change);

}  // namespace tideline::certify
