// For tests: a folder for a checkpoint.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

namespace tideline::test {

/// A folder that does not exist yet. In memory where that is possible: checkpoints wait for the disk.
class Scratch {
 public:
  Scratch() {
    const std::filesystem::path memory = "/dev/shm";
    std::error_code ignored;
    const auto parent =
        std::filesystem::is_directory(memory, ignored) ? memory : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "tideline-checkpointer-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp");
    parent_ = pattern;
  }
  ~Scratch() { std::filesystem::remove_all(parent_); }
  const std::filesystem::path& parent() const { return parent_; }
  std::filesystem::path folder() const { return parent_ / "run"; }
  std::filesystem::path file() const { return folder() / "checkpoint"; }
  std::string saved() const {
    std::ostringstream text;
    text << std::ifstream(file(), std::ios::binary).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder()), {}));
  }

 private:
  std::filesystem::path parent_;
};

}  // namespace tideline::test
