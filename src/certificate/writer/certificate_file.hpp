// CertificateFile: writes a certificate, frame by frame, to a new file that takes the place of the old one at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "certificate/format/format.hpp"
#include "store/disk_file.hpp"

namespace tideline::certificate {

class CertificateFile {
 public:
  /// All functions throw Error(io) when the file cannot be written.
  /// `head` and sections are JSON (docs/certificates.md).
  CertificateFile(std::filesystem::path target, const std::string& head);
  /// Removes what was not committed.
  ~CertificateFile();
  CertificateFile(const CertificateFile&) = delete;

  void begin_section(const std::string& section, std::size_t state_bytes, std::size_t extra_bytes);
  /// A state that is greater than those before.
  void add(const std::byte* state, const std::byte* extra);
  void end_section();
  /// Everything is on disk when this returns, under the file's name.
  void commit();

  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Compressor;

  void write_text(FrameKind kind, const std::string& text);
  void write_block();
  void write_frame(FrameHeader header, std::span<const std::byte> stored);
  void put(std::span<const std::byte> bytes);

  std::filesystem::path target_;
  DiskFile file_;
  bool committed_ = false;
  std::unique_ptr<Compressor> compressor_;
  std::uint64_t bytes_ = 0;
  std::uint64_t frames_ = 0;
  std::size_t state_bytes_ = 0, extra_bytes_ = 0;
  std::uint64_t states_ = 0, blocks_ = 0;                          // of the section
  std::vector<std::byte> first_, shares_, rests_, extras_, last_;  // of the block being filled
  std::vector<std::byte> raw_, stored_, frame_;
};

}  // namespace tideline::certificate
