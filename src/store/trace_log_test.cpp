// The log against a plain vector, and against everything that can happen to a file.
#include "store/trace_log.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "model/error.hpp"

namespace tideline {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t block = TraceLog::block_records;

class TraceLogTest : public testing::Test {
 protected:
  TraceLogTest() {
    std::string name = (fs::temp_directory_path() / "trace-log-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~TraceLogTest() override { fs::remove_all(folder_); }

  fs::path folder_;
};

// What a breadth-first search might write: parents in order, some repeated, some skipped.
std::vector<LogRecord> like_a_search(std::uint64_t count) {
  std::vector<LogRecord> records{{no_record, 0}};
  std::uint64_t random = 1;
  for (LogNumber parent = 0; records.size() < count;) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    records.push_back({parent, static_cast<std::uint32_t>(random >> 61)});
    parent = std::min(parent + (random >> 33) % 3, static_cast<LogNumber>(records.size() - 1));
  }
  return records;
}

TEST_F(TraceLogTest, ARecordThatIsNotThereIsNoticed) {
  TraceLog log(folder_);
  for (std::uint64_t i = 0; i < block + 1; ++i) log.append(no_record, 0);
  for (const LogNumber number : {log.size(), log.size() + TraceLog::block_records, (LogNumber{1} << 40) - 1})
    EXPECT_THROW(log.read(number), Error) << number;
}

RC_GTEST_FIXTURE_PROP(TraceLogTest, AnythingElseIsRefusedOrRead, (const std::vector<std::uint8_t>& content)) {
  const auto bytes = std::as_bytes(std::span(content));
  BlockFile blocks("trace log", {folder_, true});
  const auto records = *rc::gen::inRange<std::uint64_t>(0, content.size() + 2);
  blocks.append(records, bytes);
  const FilePosition end = blocks.sync();
  try {
    TraceLog log = TraceLog::reopen(blocks.file(), end);
    for (LogNumber number = 0; number < log.size(); ++number) (void)log.read(number);
    RC_ASSERT(log.size() <= content.size());
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::io);
  }
  fs::remove(blocks.file());
}

// Anything that is allowed: far parents, several initial states, large choices.
std::vector<LogRecord> anything(std::size_t count) {
  std::vector<LogRecord> records;
  for (LogNumber number = 0; number < count; ++number) {
    const auto parent = *rc::gen::inRange<LogNumber>(0, number + 1);
    records.push_back({parent == number ? no_record : parent, *rc::gen::arbitrary<std::uint32_t>()});
  }
  return records;
}

void append(TraceLog& log, const std::vector<LogRecord>& records, std::size_t from = 0) {
  for (std::size_t i = from; i < records.size(); ++i) {
    ASSERT_EQ(log.append(records[i].parent, records[i].choice), i);
  }
}

void expect_all(TraceLog& log, const std::vector<LogRecord>& records) {
  ASSERT_EQ(log.size(), records.size());
  for (std::size_t i = records.size(); i-- > 0;) ASSERT_EQ(log.read(i), records[i]) << i;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    return error.what();
  }
  return "nothing was thrown";
}

TEST_F(TraceLogTest, ReadsBackWhatWasAppendedAtAnyTime) {
  EXPECT_TRUE(rc::check([this] {
    const auto records = anything(*rc::gen::inRange<std::size_t>(1, 300));
    TraceLog log(folder_);
    for (std::size_t i = 0; i < records.size(); ++i) {
      RC_ASSERT(log.append(records[i].parent, records[i].choice) == i);
      if (*rc::gen::inRange(0, 4) == 0) log.sync();  // blocks of any length
      const auto number = *rc::gen::inRange<LogNumber>(0, i + 1);
      RC_ASSERT(log.read(number) == records[number]);
    }
    RC_ASSERT(log.size() == records.size());
  }));
}

TEST_F(TraceLogTest, ReadsBackManyBlocksInAnyOrder) {
  const auto records = like_a_search(20 * block + 123);
  TraceLog log(folder_);
  append(log, records);
  expect_all(log, records);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const LogNumber number = i * 7'919'777 % records.size();
    ASSERT_EQ(log.read(number), records[number]);
  }
}

TEST_F(TraceLogTest, ReadsBackWhatWasAppendedManyAtATime) {
  const auto records = like_a_search(5 * block + 123);
  TraceLog log(folder_);
  // One, none, a block that is filled exactly, and more than one block at a time.
  std::size_t from = 0;
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{0}, block - 1, 2 * block + 7, std::size_t{100}}) {
    ASSERT_EQ(log.append(std::span(records).subspan(from, count)), from);
    from += count;
  }
  append(log, records, from);
  expect_all(log, records);
}

TEST_F(TraceLogTest, ReadsBackWhatSeveralThreadsHaveAppended) {
  TraceLog log(folder_);
  constexpr std::uint32_t threads = 4, batches = 3000;
  std::vector<std::vector<LogNumber>> first(threads);
  {
    std::vector<std::jthread> all;
    for (std::uint32_t thread = 0; thread < threads; ++thread)
      all.emplace_back([&, thread] {
        std::vector<LogRecord> records;
        for (std::uint32_t batch = 0; batch < batches; ++batch) {
          records.assign(batch % 50, {batch, thread});
          first[thread].push_back(log.append(records));
        }
      });
  }
  LogNumber size = 0;
  for (std::uint32_t thread = 0; thread < threads; ++thread)
    for (std::uint32_t batch = 0; batch < batches; ++batch)
      for (std::uint32_t i = 0; i < batch % 50; ++i, ++size)
        ASSERT_EQ(log.read(first[thread][batch] + i), (LogRecord{batch, thread}));
  EXPECT_EQ(log.size(), size);
  EXPECT_FALSE(log.failed());
}

TEST_F(TraceLogTest, NumbersOfEveryLengthSurviveInFullBlocks) {
  std::vector<LogRecord> records;
  for (LogNumber number = 0; number < 3 * block; ++number) {
    const LogNumber parent = number % 5 == 0 ? no_record : number % 3 == 0 ? 0 : number - 1;
    records.push_back({parent, ~std::uint32_t{0} >> number % 32});
  }
  TraceLog log(folder_);
  append(log, records);
  expect_all(log, records);
}

TEST_F(TraceLogTest, TakesFewBytesOnDiskAndNoneInTheFolder) {
  TraceLog log(folder_);
  append(log, like_a_search(10 * block));
  EXPECT_EQ(log.failure(), "");
  EXPECT_LT(log.bytes(), 10 * block);  // a byte per record
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(TraceLogTest, MakesAFolderAndRemovesItAgain) {
  const fs::path folder = folder_ / "a" / "b";
  {
    TraceLog log(folder);
    EXPECT_FALSE(fs::exists(folder)) << "a file without a name needs none";
    TraceLog kept(folder, true);
    EXPECT_TRUE(fs::is_directory(folder));
    fs::remove(kept.file());
  }
  EXPECT_FALSE(fs::exists(folder));
  fs::create_directory(folder);
  { TraceLog log(folder); }
  EXPECT_TRUE(fs::exists(folder)) << "it was there before";
}

TEST_F(TraceLogTest, KeepsTheFileOnRequest) {
  const fs::path folder = folder_ / "kept";
  fs::path file;
  FilePosition position;
  {
    TraceLog log(folder, true), other(folder, true);
    EXPECT_NE(log.file(), other.file());
    append(log, like_a_search(10));
    position = log.sync();
    file = log.file();
  }
  EXPECT_EQ(fs::file_size(file), position.bytes);
}

TEST_F(TraceLogTest, Moves) {
  const auto records = like_a_search(3 * block / 2);
  TraceLog log(folder_);
  append(log, records);
  const auto moved = std::make_shared<TraceLog>(std::move(log));
  expect_all(*moved, records);
  EXPECT_EQ(moved->append(7, 7), records.size());
}

TEST_F(TraceLogTest, ReopensWhereItWasSynced) {
  for (const std::uint64_t before : {std::uint64_t{0}, std::uint64_t{1}, block, 3 * block + 17}) {
    for (const std::uint64_t after : {std::uint64_t{0}, std::uint64_t{5}, 2 * block}) {
      const auto records = like_a_search(before + after + 1);
      const std::vector<LogRecord> first(records.begin(), records.begin() + static_cast<long>(before));
      fs::path file;
      FilePosition position;
      {
        TraceLog log(folder_, true);
        append(log, first);
        position = log.sync();
        append(log, records, before);
        file = log.file();
      }
      std::ofstream(file, std::ios::app) << "half a block";
      TraceLog log = TraceLog::reopen(file, position);
      EXPECT_EQ(fs::file_size(file), position.bytes);
      EXPECT_EQ(log.sync(), position);
      expect_all(log, first);
      append(log, records, before);
      expect_all(log, records);
      const auto later = log.sync();
      TraceLog again = TraceLog::reopen(file, later);
      expect_all(again, records);
    }
  }
}

class DamagedLog : public TraceLogTest {
 protected:
  DamagedLog() {
    TraceLog log(folder_, true);
    append(log, like_a_search(3 * block));
    early_ = log.sync();
    log.append(0, 1);
    position_ = log.sync();
    file_ = log.file();
  }

  std::string reopened(const FilePosition& position) {
    return error_of([&] { TraceLog::reopen(file_, position); });
  }

  void flip_bit(std::uint64_t at) {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 4));
  }

  FilePosition early_, position_;
  fs::path file_;
};

TEST_F(DamagedLog, AChangedBitIsNoticedWhereverItIs) {
  EXPECT_TRUE(rc::check([this] {
    const auto at = *rc::gen::inRange<std::uint64_t>(0, position_.bytes);
    flip_bit(at);
    const std::string error = reopened(position_);
    flip_bit(at);
    RC_ASSERT(error.find("the trace log " + file_.string() + " is damaged: ") != std::string::npos);
  }));
  TraceLog::reopen(file_, position_);
}

TEST_F(DamagedLog, AChangedHeaderIsNoticed) {
  for (std::uint64_t at = 0; at < 100; ++at) {
    flip_bit(at);
    EXPECT_NE(reopened(position_).find("is damaged"), std::string::npos) << at;
    flip_bit(at);
  }
}

TEST_F(DamagedLog, ABitThatChangesUnderAnOpenLogIsNoticed) {
  TraceLog log = TraceLog::reopen(file_, position_);
  flip_bit(position_.bytes / 2);
  const std::string error = error_of([&] {
    for (LogNumber i = 0; i < log.size(); ++i) log.read(i);
  });
  EXPECT_NE(error.find("is damaged: a checksum is wrong"), std::string::npos) << error;
}

TEST_F(DamagedLog, AFileThatIsTooShortIsNoticed) {
  for (const std::uint64_t cut :
       {std::uint64_t{1}, std::uint64_t{60}, position_.bytes / 2, position_.bytes}) {
    fs::resize_file(file_, position_.bytes - cut);
    EXPECT_NE(reopened(position_).find("is damaged"), std::string::npos) << cut;
  }
}

TEST_F(DamagedLog, AnotherPositionOrAnotherFileIsNoticed) {
  auto wrong = position_;
  wrong.size += 1;
  EXPECT_NE(reopened(wrong).find("not the one that was saved"), std::string::npos);
  wrong = position_;
  wrong.checksum ^= 1;
  EXPECT_NE(reopened(wrong).find("not the one that was saved"), std::string::npos);
  wrong = position_;
  wrong.bytes -= 1;
  EXPECT_NE(reopened(wrong).find("ends inside a block"), std::string::npos);
  wrong.bytes = early_.bytes + 10;
  EXPECT_NE(reopened(wrong).find("ends inside a block"), std::string::npos);
  EXPECT_NE(reopened({}).find("not the one that was saved"), std::string::npos);

  // Blocks of another log, each of them sound.
  TraceLog other(folder_, true);
  for (LogNumber i = 0; i < 3 * block; ++i) other.append(no_record, 1);
  other.append(0, 1);
  const auto theirs = other.sync();
  file_ = other.file();
  EXPECT_NE(reopened({position_.size, theirs.bytes, position_.checksum}).find("not the one that was saved"),
            std::string::npos);
}

TEST_F(TraceLogTest, ASoundBlockInTheWrongPlaceIsNoticed) {
  TraceLog log(folder_, true), other(folder_, true);
  log.append(no_record, 1);
  other.append(no_record, 2);
  const auto first = log.sync();
  ASSERT_EQ(other.sync().bytes, first.bytes);
  log.append(0, 1);
  const auto position = log.sync();
  std::string theirs(first.bytes, 0);
  std::ifstream(other.file(), std::ios::binary)
      .read(theirs.data(), static_cast<std::streamsize>(first.bytes));
  std::fstream(log.file(), std::ios::in | std::ios::out | std::ios::binary) << theirs;
  const std::string error = error_of([&] { TraceLog::reopen(log.file(), position); });
  EXPECT_NE(error.find("its blocks do not follow each other"), std::string::npos) << error;
}

TEST_F(DamagedLog, AMissingFileIsAnErrorAndMakesNothing) {
  const fs::path file = folder_ / "no" / "such.log";
  EXPECT_NE(error_of([&] { TraceLog::reopen(file, position_); }).find("No such file"), std::string::npos);
  EXPECT_FALSE(fs::exists(file.parent_path()));
}

TEST_F(TraceLogTest, AFolderThatCannotBeMadeIsAnError) {
  std::ofstream(folder_ / "file") << "not a folder";
  EXPECT_NE(error_of([&] { TraceLog log(folder_ / "file" / "x"); }).find("Not a directory"),
            std::string::npos);
}

// In a child: files may not grow past a limit there, which makes a write fail as a full disk does.
[[noreturn]] void fill_the_disk(const fs::path& folder) {
  const auto check = [](bool fact, int code) {
    if (!fact) std::_Exit(code);
  };
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{50'000, 50'000};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const auto records = like_a_search(100 * block);
  TraceLog log(folder);
  LogNumber intact = 0;  // records on disk when the first write failed
  for (LogNumber i = 0; i < records.size(); ++i) {
    check(log.append(records[i].parent, records[i].choice) == i, 2);
    if (intact == 0 && !log.failure().empty()) intact = i + 1 - block;
  }
  check(intact >= block && log.size() == records.size(), 3);
  check(log.failure() == "File too large: " + log.file().string() && log.bytes() <= 50'000, 4);
  for (LogNumber i = 0; i < intact; ++i) check(log.read(i) == records[i], 5);
  const std::uint64_t bytes = log.bytes();
  log.append(0, 0);  // a block that would still fit must not be written behind the gap
  check(error_of([&] { log.sync(); }).find("cannot write the trace log: File too large") != std::string::npos,
        7);
  check(log.bytes() == bytes, 8);
  const std::string lost = error_of([&] { log.read(intact); });
  check(lost.find("is lost: File too large") != std::string::npos, 6);
  std::_Exit(0);
}

TEST_F(TraceLogTest, GoesOnCountingWhenTheDiskIsFull) {
  EXPECT_EXIT(fill_the_disk(folder_), testing::ExitedWithCode(0), "");
}

TEST_F(TraceLogTest, DefaultFolderFollowsTheEnvironment) {
  const char* old = std::getenv("TMPDIR");
  const std::string saved = old ? old : "";
  ::setenv("TMPDIR", folder_.c_str(), 1);
  EXPECT_EQ(default_trace_folder(), folder_);
  ::setenv("TMPDIR", "", 1);
  EXPECT_TRUE(fs::is_directory(default_trace_folder()));
  old ? ::setenv("TMPDIR", saved.c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace tideline
