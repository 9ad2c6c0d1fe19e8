#include "search/sweep/checkpointer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "files/file_system.hpp"
#include "model/error.hpp"
#include "search/core/observer.hpp"

namespace tideline {

namespace {

void archive_value(auto& file, Statistics::Value& value) {
  std::uint8_t kind = static_cast<std::uint8_t>(value.index());
  file(kind);
  file.require(kind <= 2);
  const auto as = [&]<class T>(T) {
    T part{};
    if (const T* const held = std::get_if<T>(&value)) part = *held;
    file(part);
    value = std::move(part);
  };
  if (kind == 0)
    as(std::uint64_t{});
  else if (kind == 1)
    as(double{});
  else
    as(std::string{});
}

void archive_statistics(auto& file, Statistics& statistics) {
  std::uint64_t count = statistics.entries().size();
  file(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name;
    Statistics::Value value;
    if constexpr (!std::decay_t<decltype(file)>::reads) {
      name = statistics.entries()[i].first->name;
      value = statistics.entries()[i].second;
    }
    file(name);
    archive_value(file, value);
    if (const auto stat = Stat::named(name)) statistics.set(*stat, std::move(value));
  }
}

/// Everything except the properties of the results.
struct SavedOutcome {
  Outcome outcome;
  void archive(auto& file);
};

void SavedOutcome::archive(auto& file) {
  file(outcome.engine, outcome.complete, outcome.model_errors, outcome.warnings, outcome.never_enabled,
       outcome.level_sizes);
  archive_statistics(file, outcome.statistics);
  std::uint64_t count = outcome.results.size();
  file(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i == outcome.results.size()) outcome.results.emplace_back();
    PropertyResult& result = outcome.results[i];
    file(result.verdict, result.reason);
    archive_run(file, result.path);
    std::uint64_t more = result.more_paths.size();
    file(more);
    for (std::uint64_t path = 0; path < more; ++path) {
      if (path == result.more_paths.size()) result.more_paths.emplace_back();
      archive_run(file, result.more_paths[path]);
    }
  }
}

}  // namespace

std::filesystem::path SavedTogether::place(const std::filesystem::path& folder) const {
  return ranks == 1 ? folder : folder / fmt::format("rank-{}", rank);
}

Checkpointer::Checkpointer(std::filesystem::path folder, SavedRun run, SavedTogether together)
    : name_(std::move(folder)),
      together_(std::move(together)),
      folder_(together_.place(name_)),
      run_(std::move(run)) {
  run_.ranks = together_.ranks;
  std::error_code error;
  made_folder_ = together_.first(!std::filesystem::exists(name_, error)) != 0;
  if (const int failure = make_folders(folder_))
    throw Error(ErrorKind::io,
                fmt::format("cannot create the folder {}: {}", folder_.string(), std::strerror(failure)));
  lock_ = Lock(folder_);
  if (together_.first(ranks_of_run(name_)) != 0)
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "{0} has the checkpoint of an unfinished run: `tideline resume {0}` continues it; remove it "
            "to start over",
            name_.string()));
  std::random_device random;
  number_ = std::uint64_t{random()} << 32 | random();
  remove_strays();
  try {
    write([&](CheckpointWriter& writer) { archive_head(writer, saved_, status_); });
  } catch (const Error&) {
    remove_folders();
    throw;
  }
}

Checkpointer::Checkpointer(std::filesystem::path folder, SavedTogether together)
    : name_(std::move(folder)),
      together_(std::move(together)),
      folder_(together_.place(name_)),
      resumed_(true) {
  const std::uint64_t ranks = together_.first(ranks_of_run(name_));
  if (ranks == 0) throw Error(ErrorKind::io, fmt::format("there is no checkpoint in {}", name_.string()));
  if (ranks != together_.ranks)
    throw Error(ErrorKind::usage,
                fmt::format("the run in {} was saved by {}, and cannot be resumed by {}", name_.string(),
                            ranks == 1 ? "one process" : fmt::format("{} ranks", ranks),
                            together_.ranks == 1 ? "one process" : fmt::format("{}", together_.ranks)));
  lock_ = Lock(folder_);
  if (together_.rank == 0) {
    reader_.emplace(file());
    archive_head(*reader_, saved_, status_);
  }
  const std::uint64_t moment = together_.first(moment_);
  if (!together_.all(together_.rank == 0 || read_part(moment)))
    throw Error(ErrorKind::io,
                fmt::format("the checkpoint in {} is not complete: the part of a rank is missing, or "
                            "of another moment",
                            name_.string()));
  if (saved_) {
    resumed_at_ = status_;
  } else {
    reader_->require_end();
    reader_.reset();
  }
  remove_strays();
}

/// False: this process has no part of that moment.
bool Checkpointer::read_part(std::uint64_t moment) {
  for (const std::filesystem::path& part : {file(), CheckpointWriter::unfinished(file())}) {
    try {
      reader_.emplace(part);
      archive_head(*reader_, saved_, status_);
    } catch (const Error&) {
      continue;
    }
    if (moment_ != moment) continue;
    if (part != file() && files().rename(part.c_str(), file().c_str()) != 0) return false;
    return true;
  }
  return false;
}

std::uint64_t Checkpointer::ranks_of_run(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const std::filesystem::path& place : {folder, SavedTogether{.ranks = 2}.place(folder)}) {
    if (!std::filesystem::exists(file_in(place), ignored)) continue;
    CheckpointReader reader(file_in(place));
    SavedRun run;
    reader(run);
    return run.ranks;
  }
  return 0;
}

Checkpointer::~Checkpointer() {
  if (!saved_ && !resumed_ && !kept_) remove();
}

std::chrono::system_clock::time_point Checkpointer::saved_at() const {
  return std::chrono::system_clock::time_point(std::chrono::milliseconds(saved_at_));
}

Checkpointer::Lock::Lock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  const int error = descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 ? errno : 0;
  if (descriptor_ >= 0 && error != EWOULDBLOCK) return;  // some file systems have no locks
  if (descriptor_ >= 0) ::close(descriptor_);
  if (error == EWOULDBLOCK)
    throw Error(ErrorKind::usage,
                fmt::format("{} is in use: another run saves its checkpoints there", folder.string()));
  throw Error(ErrorKind::io,
              fmt::format("cannot open the folder {}: {}", folder.string(), std::strerror(error)));
}

Checkpointer::Lock::~Lock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Checkpointer::archive_head(auto& file, bool& has_search, SearchStatus& status) {
  constexpr bool reads = std::decay_t<decltype(file)>::reads;
  file(run_, made_folder_, number_, moment_, has_search, status, saved_at_, finished_,
       reads ? saved_files_ : files_);
}

void Checkpointer::finish(std::vector<std::byte> result) {
  finished_.push_back(std::move(result));
  ++taken_;
  old_files_.insert(old_files_.end(), files_.begin(), files_.end());
  files_.clear();
  next_ = {};
}

Outcome Checkpointer::once(const std::vector<Property>& properties, const Budget& budget,
                           const std::function<Outcome()>& search) {
  Outcome outcome = once<SavedOutcome>(budget, [&] { return SavedOutcome{search()}; }).outcome;
  if (outcome.results.size() != properties.size())
    throw Error(ErrorKind::io, "the searches of the saved run are not those of this one");
  for (std::size_t i = 0; i < properties.size(); ++i) outcome.results[i].property = properties[i];
  return outcome;
}

// --- Files -------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view file_begin = "checkpoint-", file_end = ".log";

}  // namespace

std::string Checkpointer::stem() const {
  return fmt::format("{}{:016x}", file_begin, number_);
}

void Checkpointer::add_file(const std::filesystem::path& file, bool beside, bool keep,
                            std::function<FilePosition()> sync) {
  const auto name = beside ? file.filename() : std::filesystem::absolute(file);
  files_.push_back({name.string(), keep, {}, std::move(sync)});
}

void Checkpointer::remove_old_files() {
  for (const NamedFile& old : std::exchange(old_files_, {}))
    if (!old.keep) files().unlink((folder_ / old.name).c_str());
}

void Checkpointer::remove_strays() const {
  std::set<std::string> named, folders;
  for (const auto* const files : {&saved_files_, &files_})
    for (const NamedFile& f : *files) {
      const std::filesystem::path path(f.name);
      named.insert(path.filename().string());
      if (path.is_absolute()) folders.insert(path.parent_path().string());
    }
  const auto remove_in = [&](const std::filesystem::path& folder, const std::string& begin) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(begin) && name.ends_with(file_end) && !named.contains(name) &&
          entry.is_regular_file(ignored))
        files().unlink(entry.path().c_str());
    }
  };
  remove_in(folder_, std::string(file_begin));
  for (const std::string& folder : folders) remove_in(folder, stem());
}

// --- Saving ------------------------------------------------------------------------------------------------

/// Writes a new checkpoint, and puts it in the place of the old one.
void Checkpointer::write(const std::function<void(CheckpointWriter&)>& parts) {
  std::optional<CheckpointWriter> writer;
  std::optional<Error> error;
  const auto try_to = [&](const auto& work) {
    try {
      if (!error) work();
    } catch (const Error& e) {
      error = e;
    }
    return !error;
  };
  ++moment_;
  bool done = together_.all(try_to([&] {
    writer.emplace(file());
    parts(*writer);
    writer->finish();
  }));
  if (done && together_.rank == 0) try_to([&] { writer->commit(); });
  done = together_.first(done && !error) != 0;
  if (done && together_.rank != 0) try_to([&] { writer->commit(); });
  if (error) throw *error;
  if (!done) throw Error(ErrorKind::io, "another rank cannot write its checkpoint");
}

bool Checkpointer::load(const std::function<void(CheckpointReader&)>& search) {
  if (!reader_ || taken_ != finished_.size()) return false;
  search(*reader_);
  reader_->require_end();
  reader_.reset();
  wait();
  return true;
}

void Checkpointer::save(const std::function<void(CheckpointWriter&)>& search, SearchStatus status) {
  if (closed_) return;
  status.searches = finished_.size();
  try {
    saved_at_ = std::chrono::duration_cast<std::chrono::milliseconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count();
    write([&](CheckpointWriter& writer) {
      for (NamedFile& named : files_) named.position = named.sync();
      bool has_search = true;
      archive_head(writer, has_search, status);
      search(writer);
    });
    status_ = status;
    saved_ = true;
    failed_ = false;
    remove_old_files();
  } catch (const Error& error) {
    if (!saved_) throw;
    if (!std::exchange(failed_, true) && warn_)
      warn_(fmt::format("{}; the run continues, and the previous checkpoint stays",
                        error.diagnostics().front().message));
  }
  wait();
}

bool Checkpointer::all_are_done(bool mine) const {
  try {
    return together_.all(mine);
  } catch (const Error&) {  // one has left, because of a limit
    return false;
  }
}

void Checkpointer::end() {
  if (together_.rank == 0) files().unlink(file().c_str());
  together_.first(0);
  remove();
}

void Checkpointer::remove() {
  files().unlink(file().c_str());
  files().unlink(CheckpointWriter::unfinished(file()).c_str());
  for (const auto* const files : {&saved_files_, &files_})
    old_files_.insert(old_files_.end(), files->begin(), files->end());
  remove_old_files();
  remove_strays();
  saved_files_.clear();
  files_.clear();
  remove_folders();
  saved_ = false;
}

void Checkpointer::remove_folders() {
  if (folder_ != name_) files().remove_folder(folder_.c_str());
  if (std::exchange(made_folder_, false))
    files().remove_folder(name_.c_str());  // only succeeds when it is empty
}

}  // namespace tideline
