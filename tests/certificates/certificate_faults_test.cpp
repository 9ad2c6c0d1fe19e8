// Certificates on a disk that fails, and without memory: there is a whole one in the end, or none.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <new>

#include "allocation/allocation_guard.hpp"
#include "certificate/writer/certificate.hpp"
#include "checking/check.hpp"
#include "testing/faulty_files.hpp"
#include "testing/mortal_search.hpp"
#include "written.hpp"

namespace tideline::certify {
namespace {

using test::Fault;
using test::FaultyFiles;

class CertificateOnDisk : public testing::TestWithParam<Fault> {};

TEST_P(CertificateOnDisk, IsWholeOrNotThere) {
  const Model model = load_model(TIDELINE_SOURCE_DIR "/models/peterson.dve");
  const ScratchFile nothing;
  std::filesystem::create_directory(nothing.path());
  for (const auto& [kind, formula] :
       {std::pair{PropertyKind::deadlock, ""}, std::pair{PropertyKind::ctl, "AG EF P_0.critical"}}) {
    const std::vector<Property> properties = bind_texts(model.system, {{.kind = kind, .text = formula}});
    bool failed = true;
    for (std::uint64_t at = 1; failed; ++at) {
      FaultyFiles faulty(nothing.path(), GetParam(), at);
      std::vector<std::byte> bytes;
      try {
        const FilesInUse use(faulty);
        bytes = write_certificate(model, properties, {}).bytes;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::io);
      }
      failed = faulty.calls() >= at;  // else this was a run in peace
      const bool harmless = !failed || GetParam() == Fault::less || GetParam() == Fault::interrupt;
      EXPECT_TRUE(!harmless || !bytes.empty()) << "call " << at;
      EXPECT_EQ(bytes.empty() ? "" : refusal(bytes, model, properties), "") << "call " << at;
    }
  }
}

/// Writes a certificate of the deadlocks of a model in place of an older file; true: it has said that it is there.
bool replace_certificate(const Model& model, const std::vector<Property>& properties,
                         const std::filesystem::path& file) {
  Settings settings;
  settings.certificate = std::make_shared<Certificate>(
      CertificateRequest{.file = file, .version = "test", .folder = file.parent_path()});
  Check check(model, properties, settings);
  Budget budget;
  check.run({}, budget);
  return settings.certificate->written();
}

TEST(CertificateFaults, APowerCutAtEachCallLeavesTheOldFileOrAWholeNewOne) {
  const Model model = load_model(TIDELINE_SOURCE_DIR "/models/peterson.dve");
  const std::vector<Property> properties =
      bind_texts(model.system, {{.kind = PropertyKind::deadlock, .text = ""}});
  const test::Scratch scratch;
  const std::filesystem::path file = scratch.parent() / "proof";
  const std::vector<std::byte> old(1000, std::byte{'x'});
  std::uint64_t kept = 0, replaced = 0;
  bool in_peace = false;
  for (std::uint64_t at = 1; !in_peace; ++at)
    for (std::uint64_t seed = 0; seed < 8; ++seed) {  // of what a disk has still written
      for (const auto& entry : std::filesystem::directory_iterator(scratch.parent()))
        std::filesystem::remove(entry);
      std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(old.data()), old.size());
      FaultyFiles faulty(scratch.parent(), Fault::power_cut, at);
      bool promised = false;
      try {
        const FilesInUse use(faulty);
        promised = replace_certificate(model, properties, file) && !faulty.power_is_off();
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::io);
      }
      in_peace = !faulty.power_is_off();  // then it goes off right afterwards
      faulty.restore(seed);
      const std::vector<std::byte> found = bytes_of(file);
      if (found == old) {
        EXPECT_FALSE(promised) << "call " << at;
        ++kept;
      } else {
        EXPECT_EQ(refusal(found, model, properties), "") << "call " << at;
        ++replaced;
      }
    }
  EXPECT_GT(kept, 8U);
  EXPECT_GE(replaced, 8U);
}

TEST(CertificateFaults, OfMemoryLeaveAWholeCertificateOrNone) {
  const Model model = load_model(TIDELINE_SOURCE_DIR "/models/peterson.dve");
  const std::vector<Property> properties =
      bind_texts(model.system, {{.kind = PropertyKind::deadlock, .text = ""}});
  bool failed = true;
  for (std::uint64_t at = 1; failed; ++at) {
    std::vector<std::byte> bytes;
    {
      const FailingAllocation failing(at);
      try {
        bytes = write_certificate(model, properties, {}).bytes;
      } catch (const std::bad_alloc&) {
      }
      failed = failing.count() >= at;
    }
    EXPECT_TRUE(failed || !bytes.empty());
    EXPECT_EQ(bytes.empty() ? "" : refusal(bytes, model, properties), "") << "allocation " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(With, CertificateOnDisk,
                         testing::Values(Fault::full_disk, Fault::read_error, Fault::less, Fault::interrupt,
                                         Fault::power_cut));

}  // namespace
}  // namespace tideline::certify
