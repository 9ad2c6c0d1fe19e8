// Checkpointer: saves a run of sweep-line searches now and then, so that it can be resumed after
// it was killed.
//
// A run is one or more searches, one after the other. A checkpoint holds what the run is (in a form that only
// the caller understands), the results of the finished searches, how far the files of the current one are
// written (store/trace_log.hpp, store/record_file.hpp), and the current search itself, which saves itself
// between two layers.
//
// The folder holds one complete checkpoint or none, whatever happens, and the files beside it. A file is only
// cut off after the part that the checkpoint knows, so killing a resumed run is no different.
//
// Together. A run may be searched by several processes (ranks), each of which saves its own part at the same moment
// of the search, in a folder of its own within the folder. A checkpoint has the number of its moment. First all
// write theirs beside the one before; when all have, the first process puts its new one in the place of the old
// one, and then the others do. So what the first process has is complete: each of the others has its part of that
// moment, in its place or still beside it.
//
// Strays. A run that is killed between two searches may leave files that no checkpoint names. Those in the
// folder, which serves one run, are known by their names; those elsewhere contain the number of the run.
// Files that the user wants to keep have other names.
//
// Invariants: at most one process uses a folder; the checkpoint names the files of the search that is saved
// in it; a file is removed only when no checkpoint on disk names it.
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
#include "store/block_file.hpp"
#include "store/checkpoint.hpp"

namespace tideline {

/// What a run is: enough to start it again, and to see whether it would be the same.
struct SavedRun {
  struct Input {
    std::string file;
    std::uint64_t hash = 0;  ///< of its content
    void archive(auto& to) { to(file, hash); }
  };
  std::string version;  ///< of the program
  std::string folder;   ///< that relative names refer to
  std::vector<std::string> arguments;
  std::vector<std::string> measures;  ///< of its searches, however they were found
  std::vector<Input> inputs;
  std::uint64_t ranks = 1;  ///< processes that search together

  void archive(auto& file) { file(version, folder, arguments, measures, inputs, ranks); }
};

/// The processes that save a run together, as one of them sees it. By default this one is alone.
struct SavedTogether {
  unsigned rank = 0;
  std::uint64_t ranks = 1;
  /// Collectives, which all of them call: whether all say so, and what the first one says.
  std::function<bool(bool)> all = [](bool mine) { return mine; };
  std::function<std::uint64_t(std::uint64_t)> first = [](std::uint64_t mine) { return mine; };

  /// Where this one saves its part.
  std::filesystem::path place(const std::filesystem::path& folder) const;
};

/// How far a run has got.
struct SearchStatus {
  std::uint64_t searches = 0;                         ///< finished ones
  std::uint64_t sweeps = 0, layers = 0, visited = 0;  ///< of the one after them
  bool complete = false;                              ///< it has visited everything

  bool operator==(const SearchStatus&) const = default;
  void archive(auto& file) { file(searches, sweeps, layers, visited, complete); }
};

class Checkpointer {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// A new run. Its description is saved at once, so that it can start again if it is killed before its first
  /// search is saved. The folder is created if missing. Throws Error(usage) when it has a checkpoint,
  /// Error(io) when it cannot be used.
  Checkpointer(std::filesystem::path folder, SavedRun run, SavedTogether together = {});
  /// The run that was saved there. Throws Error(io) when there is none or it is damaged, Error(usage) when another
  /// number of processes saved it.
  explicit Checkpointer(std::filesystem::path folder, SavedTogether together = {});
  Checkpointer(const Checkpointer&) = delete;
  /// A new run that ends before a search was saved leaves nothing.
  ~Checkpointer();

  /// How many processes saved the run in this folder; 0: there is none. Throws Error(io) when it is damaged.
  static std::uint64_t ranks_of_run(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return name_; }
  const SavedRun& saved_run() const { return run_; }
  /// Call it before the run begins, when the measures are known.
  void set_measures(std::vector<std::string> measures) { run_.measures = std::move(measures); }
  /// How often to save, and where to report failures.
  void configure(double every_seconds, Warn warn) {
    every_ = every_seconds;
    warn_ = std::move(warn);
  }

  /// The next search of the run: its saved result if it was finished before, else what `search` returns,
  /// which is called now. Result has archive(). A search that the budget ends is not finished.
  template <class Result, class Search>
  Result once(const Budget& budget, const Search& search) {
    if (taken_ < finished_.size()) {
      Result result;
      ByteReader reader(finished_[taken_++]);
      reader(result);
      reader.require_end();
      return result;
    }
    Result result = search();
    closed_ = closed_ || !budget.reason().empty();
    if (closed_) return result;
    ByteWriter writer;
    writer(result);
    finish(writer.take());
    return result;
  }
  /// The same for a search that returns an outcome; `properties` are those it is about.
  Outcome once(const std::vector<Property>& properties, const Budget& budget,
               const std::function<Outcome()>& search);

  /// A file of the current search (TraceLog, RecordFile): the saved one, or a new one, in this folder (empty:
  /// beside the checkpoint). Files are opened in the same order whenever a search begins or is resumed. They
  /// are removed when the search is done unless they are to be kept.
  template <class File>
  std::shared_ptr<File> open(const std::filesystem::path& folder, bool keep) {
    if (!saved_files_.empty()) {
      NamedFile& named = files_.emplace_back(saved_files_.front());
      saved_files_.erase(saved_files_.begin());
      const auto file = std::make_shared<File>(File::reopen(folder_ / named.name, named.position));
      named.sync = [file] { return file->sync(); };
      return file;
    }
    const auto& place = folder.empty() ? folder_ : folder;
    if (closed_) return std::make_shared<File>(place, keep);
    const auto file = std::make_shared<File>(place, true, keep ? std::string() : stem());
    add_file(file->file(), folder.empty(), keep, [file] { return file->sync(); });
    return file;
  }

  /// False: there is nothing to load for the current search.
  bool load(const std::function<void(CheckpointReader&)>& search);
  /// It is time to save. Processes that save together ask the first one.
  bool due() const { return !closed_ && std::chrono::steady_clock::now() >= next_; }
  /// `status` is that of the current search. When this fails the run has only the older checkpoint, which is
  /// a warning; when there is none, throws Error(io).
  void save(const std::function<void(CheckpointWriter&)>& search, SearchStatus status = {});

  /// A search was saved, from which the run can continue. A run that is resumed without one starts again.
  bool has_saved() const { return saved_; }
  /// How far the run had got when it was last saved, and when that was.
  const SearchStatus& status() const { return status_; }
  std::chrono::system_clock::time_point saved_at() const;
  /// Nothing was saved since the run was resumed.
  bool has_not_advanced() const { return resumed_at_ == status_; }
  /// Whether all processes of the run say that it is over. They all call it, except those that have left the others.
  bool all_are_done(bool mine) const;
  /// The run has its answer, and all are done: removes the checkpoint and what belongs to it, the first process's before any
  /// other's. So whenever this is cut short, there is either all of it or none that could be resumed.
  void end();
  /// The same for this process alone.
  void remove();
  /// A limit ended the run: its description stays, even if no search has been saved.
  void keep() { kept_ = true; }

 private:
  /// Lock of a folder; released with the process, however that ends.
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
  struct NamedFile {
    std::string name;  ///< as it is in the checkpoint: in the folder, or absolute
    bool keep = false;
    FilePosition position = {};
    std::function<FilePosition()> sync = {};
    void archive(auto& file) { file(name, keep, position); }
  };

  static std::filesystem::path file_in(const std::filesystem::path& folder) { return folder / "checkpoint"; }
  std::filesystem::path file() const { return file_in(folder_); }
  void write(const std::function<void(CheckpointWriter&)>& parts);
  bool read_part(std::uint64_t moment);
  std::string stem() const;
  void archive_head(auto& file, bool& has_search, SearchStatus& status);
  void add_file(const std::filesystem::path& file, bool beside, bool keep,
                std::function<FilePosition()> sync);
  void finish(std::vector<std::byte> result);
  void remove_old_files();
  void remove_strays() const;
  void remove_folders();
  void wait() { next_ = std::chrono::steady_clock::now() + interval(); }
  std::chrono::nanoseconds interval() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(every_));
  }

  std::filesystem::path name_;  // as the user knows it
  SavedTogether together_;
  std::filesystem::path folder_;  // where the files of this process are
  Lock lock_;
  bool made_folder_ = false;
  bool resumed_ = false;
  double every_ = 60;
  SavedRun run_;
  Warn warn_;
  std::chrono::steady_clock::time_point next_ = {};  // at once

  std::uint64_t number_ = 0;                      // of the run
  std::uint64_t moment_ = 0;                      // of the checkpoint
  std::vector<std::vector<std::byte>> finished_;  // what searches have found
  std::size_t taken_ = 0;                         // of finished_: already returned
  std::vector<NamedFile> saved_files_;            // of the search being resumed, until they are opened
  std::optional<CheckpointReader> reader_;        // at the search being resumed
  std::vector<NamedFile> files_;                  // of the current search
  std::vector<NamedFile> old_files_;              // of finished searches, which the checkpoint may name
  SearchStatus status_;                           // of what is saved
  std::int64_t saved_at_ = 0;                     // milliseconds of the system clock
  std::optional<SearchStatus> resumed_at_;
  bool kept_ = false;
  bool saved_ = false;   // a search
  bool failed_ = false;  // the last attempt
  bool closed_ = false;  // a search ended without an answer: its saved state stays
};

}  // namespace tideline
