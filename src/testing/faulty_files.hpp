// For tests: files that fail. Calls are counted; at one of them, chosen by its number, something happens, once or from there
// on: the disk is full, a read fails, less is written or read than asked for, a signal interrupts, or the power goes off.
//
// When the power has gone off, nothing that is done any more has an effect. restore() makes of the folder what a machine finds
// that is switched on again: the content that a file had when it was last brought to disk, or a mixture of that and of what was
// written since; and the names that a folder had when it was last brought to disk, or has got since, in the order in which it
// has got them.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "files/file_system.hpp"

namespace tideline::test {

enum class Fault { none, full_disk, read_error, less, interrupt, power_cut };

class FaultyFiles : public FileSystem {
 public:
  /// Everything happens in this folder, which exists, and in those below. The fault happens at this call, counted from 1.
  FaultyFiles(std::filesystem::path folder, Fault fault, std::uint64_t at)
      : root_(std::move(folder)), fault_(fault), at_(at) {
    // What is there is on disk.
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      const Node node = entry.is_directory() ? folder_node : ++last_;
      names_[entry.path()] = durable_names_[entry.path().parent_path()][entry.path().filename()] = node;
      if (node != folder_node) durable_content_[node] = content_of(entry.path());
    }
  }

  /// Several threads may call the others.
  std::uint64_t calls() const { return calls_; }
  bool power_is_off() const { return off_; }

  int open(const char* path, int flags, mode_t mode) override {
    const std::scoped_lock lock(mutex_);
    if ((flags & O_CREAT) == 0) {
      if (stop()) return -1;
      return opened(FileSystem::open(path, flags, mode), path);
    }
    if (stop(ENOSPC)) return -1;
    const int file = FileSystem::open(path, flags, mode);
    if (file < 0) return file;
    if (!names_.contains(path)) enter(path, ++last_);
    return opened(file, path);
  }
  int create_unique(char* name, int last) override {
    const std::scoped_lock lock(mutex_);
    if (stop(ENOSPC)) return -1;
    const int file = FileSystem::create_unique(name, last);
    if (file < 0) return file;
    enter(name, ++last_);
    return opened(file, name);
  }
  int close(int file) override {
    const std::scoped_lock lock(mutex_);
    open_.erase(file);
    return FileSystem::close(file);
  }
  ssize_t read(int file, std::span<std::byte> to, off_t at) override {
    const std::scoped_lock lock(mutex_);
    if (stop(EIO) || is_interrupted()) return -1;
    return FileSystem::read(file, shortened(to), at);
  }
  ssize_t write(int file, std::span<const std::byte> bytes, off_t at) override {
    const std::scoped_lock lock(mutex_);
    if (stop(ENOSPC) || is_interrupted()) return -1;
    return FileSystem::write(file, shortened(bytes), at);
  }
  int truncate(int file, off_t size) override {
    const std::scoped_lock lock(mutex_);
    return stop() ? -1 : FileSystem::truncate(file, size);
  }
  int sync(int file) override {
    const std::scoped_lock lock(mutex_);
    if (stop(ENOSPC)) return -1;
    const auto place = open_.find(file);
    if (place == open_.end()) return FileSystem::sync(file);
    const auto& [path, node] = place->second;
    if (node == folder_node) {
      pending_[path].clear();
      durable_names_[path] = names_in(path);
    }
    for (const auto& [name, named] : names_)
      if (named == node && node != folder_node) durable_content_[node] = content_of(name);
    return 0;
  }
  int rename(const char* from, const char* to) override {
    const std::scoped_lock lock(mutex_);
    if (stop(ENOSPC)) return -1;
    const int result = FileSystem::rename(from, to);
    if (result != 0) return result;
    const Node node = names_.at(from);
    names_.erase(from);
    names_[to] = node;
    pending_[std::filesystem::path(to).parent_path()].push_back(
        {{std::filesystem::path(from).filename(), 0}, {std::filesystem::path(to).filename(), node}});
    return result;
  }
  int unlink(const char* path) override {
    const std::scoped_lock lock(mutex_);
    if (stop()) return -1;
    const int result = FileSystem::unlink(path);
    if (result == 0) leave(path);
    return result;
  }
  int make_folder(const char* path) override {
    const std::scoped_lock lock(mutex_);
    if (stop(ENOSPC)) return -1;
    const int result = FileSystem::make_folder(path);
    if (result == 0) enter(path, folder_node);
    return result;
  }
  int remove_folder(const char* path) override {
    const std::scoped_lock lock(mutex_);
    if (stop()) return -1;
    const int result = FileSystem::remove_folder(path);
    if (result == 0) leave(path);
    return result;
  }

  /// After the power was off and everything is closed.
  void restore(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::map<std::uint64_t, std::string> latest;
    for (const auto& [path, node] : names_)
      if (node != folder_node) latest[node] = content_of(path);
    for (const auto& entry : std::filesystem::directory_iterator(root_)) std::filesystem::remove_all(entry);
    restore_folder(root_, latest, random);
  }

 private:
  using Node = std::uint64_t;
  static constexpr Node folder_node = ~Node{0};
  /// Names that a folder gets (a node) or loses (0), in one step.
  using Change = std::vector<std::pair<std::string, Node>>;
  struct Open {
    std::filesystem::path path;
    Node node = 0;
  };

  /// Whether the call has no effect; errno then says why. `error`: what a failing call says, 0: this one does not fail.
  bool stop(int error = 0) {
    ++calls_;
    if (off_ || (fault_ == Fault::power_cut && calls_ == at_)) {
      off_ = true;
      errno = EIO;
      return true;
    }
    const bool full = fault_ == Fault::full_disk && error == ENOSPC && calls_ >= at_;
    const bool unreadable = fault_ == Fault::read_error && error == EIO && calls_ >= at_;
    if (full || unreadable) errno = error;
    return full || unreadable;
  }
  bool is_interrupted() {
    errno = EINTR;
    return fault_ == Fault::interrupt && calls_ % (at_ + 1) == 0;
  }
  template <class Bytes>
  Bytes shortened(Bytes bytes) {
    if (fault_ == Fault::less && bytes.size() > 1 && calls_ % at_ == 0) return bytes.first(bytes.size() / 2);
    return bytes;
  }

  int opened(int file, const std::filesystem::path& path) {
    if (file < 0) return file;
    struct stat status {};
    ::fstat(file, &status);
    if (S_ISDIR(status.st_mode))
      open_[file] = {path, folder_node};
    else
      open_[file] = {path, names_.contains(path) ? names_.at(path) : Node{0}};
    return file;
  }

  void enter(const std::filesystem::path& path, Node node) {
    names_[path] = node;
    pending_[path.parent_path()].push_back({{path.filename(), node}});
  }
  void leave(const std::filesystem::path& path) {
    names_.erase(path);
    pending_[path.parent_path()].push_back({{path.filename(), 0}});
  }

  std::map<std::string, Node> names_in(const std::filesystem::path& folder) const {
    std::map<std::string, Node> names;
    for (const auto& [path, node] : names_)
      if (path.parent_path() == folder) names[path.filename()] = node;
    return names;
  }
  static std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void restore_folder(const std::filesystem::path& folder, const std::map<Node, std::string>& latest,
                      std::mt19937_64& random) {
    std::map<std::string, Node> names = durable_names_[folder];
    const std::vector<Change>& changes = pending_[folder];
    const std::size_t done = random() % (changes.size() + 1);
    for (std::size_t i = 0; i < done; ++i)
      for (const auto& [name, node] : changes[i]) names[name] = node;
    for (const auto& [name, node] : names) {
      if (node == 0) continue;
      if (node == folder_node) {
        std::filesystem::create_directory(folder / name);
        restore_folder(folder / name, latest, random);
        continue;
      }
      const auto now = latest.find(node);
      std::string content = durable_content_[node];
      if (now != latest.end()) mix(content, now->second, random);
      std::ofstream(folder / name, std::ios::binary) << content;
    }
  }
  /// Some of what was written since reached the disk: nothing, everything, or some pieces.
  static void mix(std::string& content, const std::string& latest, std::mt19937_64& random) {
    const auto choice = random() % 3;
    if (choice == 0) return;
    if (choice == 1) {
      content = latest;
      return;
    }
    constexpr std::size_t piece = 64;
    content.resize(std::max(content.size(), random() % (latest.size() + 1)), '\0');
    for (std::size_t at = 0; at + piece <= std::min(content.size(), latest.size()); at += piece)
      if (random() % 2 == 0) content.replace(at, piece, latest, at, piece);
  }

  std::mutex mutex_;
  std::filesystem::path root_;
  Fault fault_;
  std::uint64_t at_, calls_ = 0;
  bool off_ = false;
  std::map<std::filesystem::path, Node> names_;                                 // now
  std::map<std::filesystem::path, std::map<std::string, Node>> durable_names_;  // by folder
  std::map<std::filesystem::path, std::vector<Change>> pending_;                // by folder: since then
  std::map<Node, std::string> durable_content_;
  std::map<int, Open> open_;
  Node last_ = 0;
};

}  // namespace tideline::test
