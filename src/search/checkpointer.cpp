#include "search/checkpointer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <variant>

#include "model/error.hpp"

namespace tideline {

namespace {

void archive_value(auto& file, Statistics::Value& value) {
  std::uint8_t kind = static_cast<std::uint8_t>(value.index());
  file(kind);
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
    if constexpr (!std::decay_t<decltype(file)>::reads) std::tie(name, value) = statistics.entries()[i];
    file(name);
    archive_value(file, value);
    statistics.set(name, std::move(value));
  }
}

/// All but the properties that the results are about.
void archive_outcome(auto& file, Outcome& outcome) {
  file(outcome.engine, outcome.complete, outcome.model_errors, outcome.warnings, outcome.never_enabled,
       outcome.level_sizes);
  archive_statistics(file, outcome.statistics);
  std::uint64_t count = outcome.results.size();
  file(count);
  outcome.results.resize(count);
  for (PropertyResult& result : outcome.results) {
    std::optional<Path> path;
    if (result.path) path = result.path();
    file(result.verdict, result.reason, path);
    if (path) result.path = [run = std::move(*path)] { return run; };
  }
}

}  // namespace

Checkpointer::Checkpointer(std::filesystem::path folder, SavedRun run)
    : folder_(std::move(folder)), run_(std::move(run)) {
  std::error_code error;
  made_folder_ = std::filesystem::create_directories(folder_, error);
  if (error)
    throw Error(ErrorKind::io,
                fmt::format("cannot create the folder {}: {}", folder_.string(), error.message()));
  lock_ = Lock(folder_);
  if (std::filesystem::exists(file(), error))
    throw Error(
        ErrorKind::usage,
        fmt::format("{0} has the checkpoint of a run that has not ended: `tideline resume {0}` goes on "
                    "with it; to begin anew remove it",
                    folder_.string()));
}

Checkpointer::Checkpointer(std::filesystem::path folder) : folder_(std::move(folder)), saved_(true) {
  std::error_code ignored;
  if (!std::filesystem::exists(file(), ignored))
    throw Error(ErrorKind::io, fmt::format("there is no checkpoint in {}", folder_.string()));
  lock_ = Lock(folder_);
  reader_.emplace(file());
  archive_head(*reader_);
}

Checkpointer::Lock::Lock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  const int error = descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 ? errno : 0;
  if (descriptor_ >= 0 && error != EWOULDBLOCK) return;  // a file system without locks has to do without
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

void Checkpointer::archive_head(auto& file) {
  file(run_, made_folder_);
  std::uint64_t count = finished_.size();
  file(count);
  finished_.resize(count);
  for (Outcome& outcome : finished_) archive_outcome(file, outcome);

  constexpr bool reads = std::decay_t<decltype(file)>::reads;
  std::optional<Log>& log = reads ? saved_log_ : log_name_;
  bool has_log = log.has_value();
  file(has_log);
  if (!has_log) return;
  if (!log) log.emplace();
  std::string name = log->file.string();
  file(name, log->keep, position_.size, position_.bytes, position_.checksum);
  log->file = name;
}

Outcome Checkpointer::once(const std::vector<Property>& properties, const Budget& budget,
                           const std::function<Outcome()>& search) {
  if (taken_ == finished_.size()) {
    Outcome outcome = search();
    if (!budget.reason().empty()) {
      closed_ = true;
      return outcome;
    }
    for (PropertyResult& result : outcome.results)
      if (result.path) result.path = [run = result.path()] { return run; };
    finished_.push_back(std::move(outcome));
    if (log_name_) old_logs_.push_back(*std::exchange(log_name_, std::nullopt));
    log_.reset();
  }
  Outcome outcome = finished_[taken_++];
  if (outcome.results.size() != properties.size())
    throw Error(ErrorKind::internal, "the searches of a saved run are others than those of this one");
  for (std::size_t i = 0; i < properties.size(); ++i) outcome.results[i].property = properties[i];
  next_ = {};
  return outcome;
}

std::shared_ptr<TraceLog> Checkpointer::open_log(const std::filesystem::path& folder, bool keep) {
  if (saved_log_) {
    log_name_ = std::exchange(saved_log_, std::nullopt);
    log_ = std::make_shared<TraceLog>(TraceLog::reopen(folder_ / log_name_->file, position_));
    return log_;
  }
  log_ = std::make_shared<TraceLog>(folder.empty() ? folder_ : folder, true);
  log_name_ = {folder.empty() ? log_->file().filename() : std::filesystem::absolute(log_->file()), keep};
  return log_;
}

bool Checkpointer::load(const std::function<void(CheckpointReader&)>& search) {
  if (!reader_ || taken_ != finished_.size()) return false;
  search(*reader_);
  reader_->require_end();
  reader_.reset();
  wait();
  return true;
}

void Checkpointer::save(const std::function<void(CheckpointWriter&)>& search) {
  if (closed_) return;
  try {
    if (log_) position_ = log_->sync();
    CheckpointWriter writer(file());
    archive_head(writer);
    search(writer);
    writer.commit();
    saved_ = true;
    failed_ = false;
    remove_old_logs();
  } catch (const Error& error) {
    if (!saved_) throw;
    if (!std::exchange(failed_, true) && warn_)
      warn_(fmt::format("{}; the run goes on, and the checkpoint before it stays",
                        error.diagnostics().front().message));
  }
  wait();
}

void Checkpointer::remove_old_logs() {
  for (const Log& log : std::exchange(old_logs_, {}))
    if (!log.keep) ::unlink((folder_ / log.file).c_str());
}

void Checkpointer::remove() {
  ::unlink(file().c_str());
  ::unlink(CheckpointWriter::unfinished(file()).c_str());
  if (log_name_) old_logs_.push_back(*std::exchange(log_name_, std::nullopt));
  remove_old_logs();
  if (made_folder_) ::rmdir(folder_.c_str());  // only succeeds when it is empty
  saved_ = false;
}

}  // namespace tideline
