#include "files/write_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "files/file_system.hpp"
#include "model/error.hpp"
#include "testing/faulty_files.hpp"

namespace tideline {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, gone afterwards.
class WriteFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tideline-write-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string io_error(const std::string& path, std::string_view text) {
    try {
      write_file(path, text);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(WriteFile, WritesAndReplaces) {
  write_file(at("a"), "first");
  EXPECT_EQ(content(at("a")), "first");
  write_file(at("a"), "");
  EXPECT_EQ(content(at("a")), "");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WriteFile, KeepsModeAndLinks) {
  write_file(at("real"), "old");
  ASSERT_EQ(::chmod(at("real").c_str(), 0640), 0);
  fs::create_symlink("real", at("link"));
  write_file(at("link"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(content(at("real")), "new");
  EXPECT_EQ(fs::status(at("real")).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(WriteFile, SaysWhatIsWrongAndLeavesNothing) {
  EXPECT_NE(io_error(at("no/such/folder"), "x").find("No such file or directory"), std::string::npos);
  fs::create_directory(at("folder"));
  EXPECT_NE(io_error(at("folder"), "x").find("Is a directory"), std::string::npos);
  EXPECT_NE(io_error("/dev/full", "x").find("No space left on device"), std::string::npos);
  EXPECT_NE(io_error("", "x"), "");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WriteFile, DevicesAreWrittenDirectly) {
  write_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// A disk that fills up in the middle, simulated by a file size limit in a child process.
TEST_F(WriteFile, HalfWrittenFilesDoNotStay) {
  write_file(at("target"), "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    try {
      write_file(at("target"), std::string(100000, 'x'));
    } catch (const Error& error) {
      ::_exit(error.kind() == ErrorKind::io ? 0 : 3);
    }
    ::_exit(4);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(content(at("target")), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WriteFile, RequireWritableFindsOutWithoutWriting) {
  EXPECT_NO_THROW(require_writable(at("new")));
  EXPECT_NO_THROW(require_writable("/dev/null"));
  EXPECT_THROW(require_writable(at("no/such/folder")), Error);
  EXPECT_THROW(require_writable(at("")), Error);
  EXPECT_EQ(files(), 0U);
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(WriteFile, IsOldOrNewWhenAnyCallFails) {
  const fs::path target = folder_ / "answer";
  const std::string before(1000, 'a'), after(3000, 'b');
  for (const test::Fault fault :
       {test::Fault::full_disk, test::Fault::less, test::Fault::interrupt, test::Fault::power_cut})
    for (std::uint64_t at = 1, seed = 0; at < 12; seed < 6 ? ++seed : (seed = 0, ++at)) {
      for (const auto& entry : fs::directory_iterator(folder_)) fs::remove(entry);
      std::ofstream(target) << before;
      test::FaultyFiles faulty(folder_, fault, at);
      bool done = false;
      try {
        const FilesInUse use(faulty);
        write_file(target, after);
        done = !faulty.power_is_off();
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::io);
      }
      if (faulty.power_is_off()) faulty.restore(seed);
      const std::string now = content_of(target);
      EXPECT_TRUE(now == after || (!done && now == before)) << "call " << at << ", seed " << seed;
      if (!faulty.power_is_off()) {
        EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "call " << at;
      }
    }
}

}  // namespace
}  // namespace tideline
