// A file of records against a plain vector, and a disk that is full.
#include "store/record_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>

#include "model/error.hpp"
#include "store/checkpoint.hpp"
#include "store/packed_number.hpp"

namespace tideline {
namespace {

namespace fs = std::filesystem;

class RecordFileTest : public testing::Test {
 protected:
  RecordFileTest() {
    std::string name = (fs::temp_directory_path() / "record-file-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~RecordFileTest() override { fs::remove_all(folder_); }

  fs::path folder_;
};

using Bytes = std::vector<std::byte>;

/// Bytes that do not compress.
Bytes noise(std::size_t size, std::uint64_t seed) {
  Bytes bytes;
  for (std::uint64_t random = seed; bytes.size() < size;) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    bytes.push_back(static_cast<std::byte>(random >> 56));
  }
  return bytes;
}

bool same(std::span<const std::byte> a, const Bytes& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

RC_GTEST_FIXTURE_PROP(RecordFileTest, RecordsComeBackInAnyOrder, ()) {
  RecordFile file(folder_);
  std::vector<Bytes> records;
  const auto count = *rc::gen::inRange<std::size_t>(1, 60);
  for (std::size_t i = 0; i < count; ++i) {
    const auto most = *rc::gen::element<std::size_t>(1, 20, 100'000, 600'000);
    records.push_back(noise(*rc::gen::inRange<std::size_t>(0, most), i));
    file.append(records.back());
  }
  RC_ASSERT(file.size() == count);
  for (std::size_t i = count; i-- > 0;) RC_ASSERT(same(file.read(i), records[i]));
  for (int k = 0; k < 20; ++k) {
    const auto i = *rc::gen::inRange<std::size_t>(0, count);
    RC_ASSERT(same(file.read(i), records[i]));
  }
  RC_ASSERT(fs::is_empty(folder_));
}

/// Reopened at any record, whatever was written after it, the file is the same as one that was never closed.
RC_GTEST_FIXTURE_PROP(RecordFileTest, GoesOnWhereItWasSaved, ()) {
  std::vector<Bytes> records;
  const auto count = *rc::gen::inRange<std::size_t>(1, 40);
  for (std::size_t i = 0; i < count; ++i)
    records.push_back(noise(*rc::gen::element<std::size_t>(0, 20, 100'000, 300'000), i));
  RecordFile in_peace(folder_);
  for (const Bytes& record : records) in_peace.append(record);

  const fs::path saved = folder_ / "saved";
  const auto at = *rc::gen::inRange<std::size_t>(0, count + 1);
  fs::path name;
  FilePosition position;
  {
    RecordFile file(folder_, true);
    name = file.file();
    for (std::size_t i = 0; i < at; ++i) file.append(records[i]);
    position = file.sync();
    CheckpointWriter writer(saved);
    writer(file);
    writer.commit();
    for (std::size_t i = at; i < count; ++i) file.append(records[i]);
  }
  RecordFile file = RecordFile::reopen(name, position);
  CheckpointReader reader(saved);
  reader(file);
  RC_ASSERT(file.size() == at);
  for (std::size_t i = at; i < count; ++i) file.append(records[i]);
  for (std::size_t i = count; i-- > 0;) RC_ASSERT(same(file.read(i), records[i]));
  RC_ASSERT(file.bytes() == in_peace.bytes());
  fs::remove(name);
  fs::remove(saved);
}

RC_GTEST_PROP(RecordNumbers, ReadBackAsWritten, (std::vector<std::uint64_t> numbers)) {
  Bytes bytes;
  for (const std::uint64_t number : numbers) put_number(bytes, folded(number));
  std::span<const std::byte> from(bytes);
  for (const std::uint64_t number : numbers) RC_ASSERT(unfolded(get_number(from)) == number);
  RC_ASSERT(from.empty());
}

RC_GTEST_FIXTURE_PROP(RecordFileTest, AnythingElseIsRefusedOrRead, (std::vector<std::uint64_t> content)) {
  for (std::uint64_t& number : content) number = *rc::gen::inRange<std::uint64_t>(0, 8 * content.size() + 1);
  BlockFile blocks("layers file", {folder_, true});
  blocks.append(*rc::gen::inRange<std::uint64_t>(0, content.size() + 2), std::as_bytes(std::span(content)));
  const FilePosition end = blocks.sync();
  try {
    RecordFile file = RecordFile::reopen(blocks.file(), end);
    std::uint64_t bytes = 0;
    for (std::uint64_t number = 0; number < file.size(); ++number) bytes += file.read(number).size();
    RC_ASSERT(bytes <= 8 * content.size());
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::io);
  }
  fs::remove(blocks.file());
}

TEST_F(RecordFileTest, AFolderIsThereOnlyForAMoment) {
  RecordFile file(folder_ / "new");
  EXPECT_FALSE(fs::exists(folder_ / "new"));
  const Bytes record = noise(1'000'000, 7);
  file.append(record);
  EXPECT_TRUE(same(file.read(0), record));
}

TEST_F(RecordFileTest, AFullDiskIsReportedNotThrown) {
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 400'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  RecordFile file(folder_);
  const Bytes first = noise(300'000, 1), second = noise(300'000, 2);
  file.append(first);
  EXPECT_EQ(file.failure(), "");
  file.append(second);
  EXPECT_NE(file.failure().find("File too large"), std::string::npos);
  EXPECT_TRUE(same(file.read(0), first));
  EXPECT_THROW(file.read(1), Error);
  ::setrlimit(RLIMIT_FSIZE, &before);
}

TEST_F(RecordFileTest, AFolderThatCannotBeIsAnError) {
  EXPECT_THROW(RecordFile("/proc/no-such-folder"), Error);
}

}  // namespace
}  // namespace tideline
