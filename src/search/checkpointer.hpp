// Checkpointer: saves a run of sweep-line searches now and then, so that it can go on after it was killed.
//
// A run is one or more searches, one after the other. A checkpoint holds what the run is (which is for the
// caller to understand), the outcomes of the searches that are done, how far the log of the current one is
// written (store/trace_log.hpp), and the current search itself, which saves itself between two layers.
//
// The folder holds one complete checkpoint or none, whatever happens, and the log beside it. A log is only
// cut off behind what the checkpoint knows of it, so killing a run that was resumed is no different.
//
// Invariants: at most one process uses a folder; the file names the log of the search that is saved in it; a
// log is removed only when no checkpoint on the disk names it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "store/checkpoint.hpp"
#include "store/trace_log.hpp"

namespace tideline {

/// What a run is: enough to start it again, and to see whether it would be the same.
struct SavedRun {
  struct Input {
    std::string file;
    std::uint64_t hash = 0;  ///< of its content
    void archive(auto& to) { to(file, hash); }
  };
  std::string version;  ///< of the program
  std::string folder;   ///< relative names are meant from there
  std::vector<std::string> arguments;
  std::vector<std::string> measures;  ///< of its searches, however they were found
  std::vector<Input> inputs;

  void archive(auto& file) { file(version, folder, arguments, measures, inputs); }
};

class Checkpointer {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// A new run, which is saved at once when it begins. The folder is created when missing. Throws
  /// Error(usage) when it has a checkpoint, Error(io) when it cannot be used.
  Checkpointer(std::filesystem::path folder, SavedRun run);
  /// The run that was saved there. Throws Error(io) when there is none or it is damaged.
  explicit Checkpointer(std::filesystem::path folder);
  Checkpointer(const Checkpointer&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  const SavedRun& saved_run() const { return run_; }
  /// How often to save, and whom to tell when that fails.
  void configure(double every_seconds, Warn warn) {
    every_ = every_seconds;
    warn_ = std::move(warn);
  }

  /// The next search of the run: its outcome if it was finished before, else that of `search`, which is
  /// called now. `properties` are those it is about.
  Outcome once(const std::vector<Property>& properties, const Budget& budget,
               const std::function<Outcome()>& search);

  /// The log for the current search: the saved one, or a new one, in this folder (empty: beside the
  /// checkpoint). It is removed with the checkpoint unless it is to be kept.
  std::shared_ptr<TraceLog> open_log(const std::filesystem::path& folder, bool keep);

  /// False: there is nothing to load for the current search.
  bool load(const std::function<void(CheckpointReader&)>& search);
  /// It is time to save.
  bool due() const { return !closed_ && std::chrono::steady_clock::now() >= next_; }
  /// When this fails the run has only the older checkpoint, which is a warning; when there is none, throws
  /// Error(io).
  void save(const std::function<void(CheckpointWriter&)>& search);

  /// There is a checkpoint from which the run can go on.
  bool has_saved() const { return saved_; }
  /// The run has its answer: removes the checkpoint and what belongs to it.
  void remove();

 private:
  /// Of a folder; it goes with the process, however that ends.
  class Lock {
   public:
    Lock() = default;
    explicit Lock(const std::filesystem::path& folder);
    Lock(Lock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Lock& operator=(Lock&& other) noexcept {
      std::swap(descriptor_, other.descriptor_);
      return *this;
    }
    ~Lock();

   private:
    int descriptor_ = -1;
  };
  struct Log {
    std::filesystem::path file;  ///< as it is in the checkpoint: in the folder, or absolute
    bool keep = false;
  };

  std::filesystem::path file() const { return folder_ / "checkpoint"; }
  void archive_head(auto& file);
  void remove_old_logs();
  void wait() { next_ = std::chrono::steady_clock::now() + interval(); }
  std::chrono::nanoseconds interval() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(every_));
  }

  std::filesystem::path folder_;
  Lock lock_;
  bool made_folder_ = false;
  double every_ = 60;
  SavedRun run_;
  Warn warn_;
  std::chrono::steady_clock::time_point next_ = {};  // at once

  std::vector<Outcome> finished_;  // without their properties
  std::size_t taken_ = 0;          // of finished_: handed out again
  std::optional<Log> saved_log_;   // of the search being resumed, until it is opened
  FilePosition position_ = {};
  std::optional<CheckpointReader> reader_;  // at the search being resumed
  std::shared_ptr<TraceLog> log_;
  std::optional<Log> log_name_;
  std::vector<Log> old_logs_;  // of finished searches, which the file may name
  bool saved_ = false;
  bool failed_ = false;  // the last attempt
  bool closed_ = false;  // a search ended without an answer: what is saved of it stays
};

}  // namespace tideline
