// Certificates on a disk that fails, and without memory: there is a whole one in the end, or none.
#include <gtest/gtest.h>

#include <new>

#include "allocation/allocation_guard.hpp"
#include "testing/faulty_files.hpp"
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
