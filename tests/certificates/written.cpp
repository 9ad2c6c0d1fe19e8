#include "written.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "bytes_in_memory.hpp"
#include "certificate/writer/certificate.hpp"
#include "certify.hpp"
#include "checking/check.hpp"
#include "files/file_system.hpp"

namespace tideline::certify {

ScratchFile::ScratchFile() {
  static std::atomic<int> count = 0;
  path_ =
      std::filesystem::temp_directory_path() / fmt::format("certificates_test-{}-{}", ::getpid(), ++count);
}

ScratchFile::~ScratchFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::vector<std::byte> bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Written write_certificate(const Model& model, const std::vector<Property>& properties, Settings settings) {
  const ScratchFile file;
  settings.certificate = std::make_shared<Certificate>(CertificateRequest{
      .file = file.path(), .version = "test", .folder = std::filesystem::temp_directory_path()});
  try {
    Check check(model, properties, settings);
    Budget budget;
    check.run({}, budget);
  } catch (const Error& error) {
    return {.refusal = error.what()};
  }
  return {.bytes = settings.certificate->written() ? bytes_of(file.path()) : std::vector<std::byte>{}};
}

std::string refusal(const std::vector<std::byte>& bytes, const Model& model,
                    const std::vector<Property>& properties, ErrorSemantics errors, unsigned threads,
                    std::uint64_t memory) {
  try {
    const CertificateReader reader(std::make_unique<BytesInMemory>(bytes));
    certify(reader, model, properties, errors, false, {.threads = threads, .memory_bytes = memory});
    return {};
  } catch (const Refused& refused) {
    return refused.what();
  }
}

namespace {

/// Certificates of tests need not outlive a loss of power.
class QuickFiles : public FileSystem {
 public:
  int sync(int) override { return 0; }
};

std::string head_of(const std::string& model, const std::string& digest) {
  return nlohmann::json{{"version", "test"}, {"model", model}, {"digest", digest}}.dump();
}

void add_section(certificate::CertificateFile& out, const Section& section,
                 const std::vector<Record>& records) {
  nlohmann::json properties = nlohmann::json::array();
  for (const NamedProperty& property : section.properties)
    properties.push_back({{"name", property.name}, {"kind", property.kind}, {"formula", property.formula}});
  out.begin_section(nlohmann::json{{"kind", section.kind},
                                   {"properties", properties},
                                   {"buchi", section.buchi},
                                   {"state_bytes", section.state_bytes},
                                   {"extra_bytes", section.extra_bytes}}
                        .dump(),
                    section.state_bytes, section.extra_bytes);
  for (const Record& record : records)
    out.add(record.state.data(), reinterpret_cast<const std::byte*>(record.extra.data()));
  out.end_section();
}

}  // namespace

std::vector<std::byte> forged(const System& system, const Section& section,
                              const std::vector<Record>& records) {
  QuickFiles quick;
  const FilesInUse use(quick);
  const ScratchFile file;
  certificate::CertificateFile out(file.path(), head_of(system.name, certificate::digest_of(system)));
  add_section(out, section, records);
  out.commit();
  return bytes_of(file.path());
}

std::vector<std::byte> changed(const std::vector<std::byte>& bytes,
                               const std::function<void(std::vector<Record>& records)>& change) {
  QuickFiles quick;
  const FilesInUse use(quick);
  const ScratchFile file;
  const CertificateReader reader(std::make_unique<BytesInMemory>(bytes));
  certificate::CertificateFile out(file.path(), head_of(reader.model(), reader.digest()));
  for (const Section& section : reader.sections()) {
    std::vector<Record> records;
    BlockCursor cursor(reader, section);
    for (std::size_t block = 0; block < section.blocks.size(); ++block)
      for (cursor.load(block); cursor.next();) {
        Record record{{cursor.state(), cursor.state() + section.state_bytes}, {}};
        for (std::size_t i = 0; i < section.extra_bytes / 4; ++i) record.extra.push_back(cursor.extra(i));
        records.push_back(std::move(record));
      }
    change(records);
    add_section(out, section, records);
  }
  out.commit();
  return bytes_of(file.path());
}

}  // namespace tideline::certify
