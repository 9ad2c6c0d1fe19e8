// Breadth-first search with states on disk: complete, with shortest runs, for state spaces beyond memory.
//
// The states are in parts by their hashes; each part (store/spilled_states.hpp) has a table in memory and sorted runs on
// disk. A level is worked on in two phases, in each of which threads share out pieces of work:
//
//   expanding   The states of the level are read, block by block, and their successors inserted as candidates into
//               their parts, in batches.
//   resolving   Every part compares its candidates with the states that it knows. Those not among them are the
//               next level, and are shown to the observer.
//
// So a state is known to be new at the end of a level only; otherwise this is plain breadth-first search
// (search/states/bfs.hpp), with the same states, transitions, levels and lengths of runs.
//
// For runs there is a log on disk (store/trace_log.hpp) with a record for every state. The states of a part's level are
// appended to it a few at a time, so their numbers are consecutive a few at a time: `Numbers` has the number of a state by
// its place in the level.
//
// With one thread, runs do not depend on how much memory there is: states are expanded in the order of their numbers,
// numbers follow parts and bytes, and of all that lead to a state the one with the least number counts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "search/core/crew.hpp"
#include "search/core/levels.hpp"
#include "search/core/observer.hpp"
#include "search/sweep/logged_run.hpp"
#include "store/spilled_states.hpp"
#include "store/trace_log.hpp"

namespace tideline {

struct DiskOptions {
  std::filesystem::path folder = {};
  std::shared_ptr<TraceLog> log = {};  ///< nothing: no runs are wanted
  std::uint64_t depth = 0;             ///< as in SearchOptions
  unsigned threads = 1;
  unsigned part_bits = 4;                          ///< there are 2^part_bits parts
  std::uint64_t table_bytes = 0;                   ///< of the tables of all parts
  std::size_t block_bytes = std::size_t{1} << 15;  ///< of blocks on disk
  std::size_t batch = 64;                          ///< states that are inserted into a part at a time
  std::uint64_t few = few_states;                  ///< a level with at most this many is left to one thread
};

template <Graph G>
class DiskBreadthFirstSearch {
 public:
  DiskBreadthFirstSearch(const G& graph, DiskOptions options)
      : options_(std::move(options)),
        state_bytes_(graph.state_size()),
        extra_bytes_(options_.log ? logged_bytes + sizeof(std::uint32_t) : 0),
        crew_(options_.threads),
        space_(options_.folder, options_.block_bytes, crew_.token()),
        parts_(std::size_t{1} << options_.part_bits) {
    for (Part& part : parts_)
      part.states = std::make_unique<SpilledStates>(space_, state_bytes_, extra_bytes_,
                                                    options_.table_bytes >> options_.part_bits);
    for (unsigned i = 0; i < options_.threads; ++i)
      workers_.push_back(std::make_unique<Worker>(graph, parts_.size(),
                                                  StateBatch(state_bytes_, extra_bytes_, options_.batch)));
  }

  template <SharedObserver O>
  SearchResult run(O& observer, Budget& budget) {
    std::vector<O> observers(workers_.size(), observer);
    within_limits(budget, [&] {
      Worker& first = *workers_.front();
      std::uint32_t choice = 0;
      first.graph.initial([&](const std::byte* state) { append(first, state, no_record, choice++); });
      flush(first);
      run_levels(
          crew_, budget, [this] { return status(); }, [&](unsigned i) { work(*workers_[i], observers[i]); },
          [&] { return end_phase(observers); });
    });
    for (O& other : observers) observer.absorb(other);
    return finish(budget);
  }

  const DiskSpace& space() const { return space_; }
  /// States and the log, at most.
  std::uint64_t disk_bytes() const {
    return space_.peak_bytes() + (options_.log ? options_.log->bytes() : 0);
  }
  /// Of the tables, at most.
  std::uint64_t table_bytes() const { return sum(&SpilledStates::peak_bytes); }
  std::uint64_t stored_peak() const { return sum(&SpilledStates::stored_peak); }

 private:
  /// Which states of a level have which numbers in the log.
  struct Numbers {
    std::uint64_t place;  // of the first one in the level
    LogNumber number;
  };

  struct alignas(cache_line) Part {
    std::unique_ptr<SpilledStates> states;
    std::shared_ptr<const StateRun> level;
    std::vector<Numbers> numbers;
  };

  struct alignas(cache_line) Worker {
    Worker(const G& g, std::size_t parts, const StateBatch& empty) : graph(g), batches(parts, empty) {}

    G graph;
    std::vector<StateBatch> batches;  // for each part
    std::atomic<std::uint64_t> transitions{0}, expanded{0}, found{0};
    std::uint64_t deadlocks = 0;
    std::vector<std::byte> new_states = {};  // not numbered yet
    std::vector<LogRecord> new_records = {};
  };

  /// A block of the level of a part.
  struct Piece {
    std::size_t part, block;
  };

  static constexpr std::size_t numbered_at_once = 1024;

  template <class O>
  void work(Worker& worker, O& observer) {
    try {
      if (resolving_)
        for (std::size_t p; !crew_.stopped() && (p = next_piece_.fetch_add(1)) < parts_.size();)
          resolve(worker, parts_[p], observer);
      else
        expand_level(worker, observer);
    } catch (const SearchStopped&) {  // by this worker or by another
    }
  }

  /// One thread alone.
  template <class O>
  NextLevel end_phase(std::vector<O>& observers) {
    for (std::size_t i = 1; i < observers.size(); ++i) observers[0].adopt(observers[i]);
    for (std::size_t i = 1; i < observers.size(); ++i) observers[i].adopt(observers[0]);
    if (observers[0].done()) satisfy();
    if (options_.log && options_.log->failed())
      throw LimitReached("the log for runs cannot be written: " + options_.log->failure());
    if (crew_.stopped()) return NextLevel::over;
    next_piece_ = 0;
    resolving_ = !resolving_;
    return !resolving_ && !begin_level() ? NextLevel::over
           : level_size_ <= options_.few ? NextLevel::small
                                         : NextLevel::large;
  }

  /// False: there is none, or it is beyond the depth bound.
  bool begin_level() {
    pieces_.clear();
    level_size_ = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      level_size_ += parts_[p].level->size();
      for (std::size_t block = 0; block < parts_[p].level->blocks(); ++block) pieces_.push_back({p, block});
    }
    if (level_size_ == 0) return false;
    result_.level_sizes.push_back(level_size_);
    cut_off_ = options_.depth != 0 && result_.level_sizes.size() > options_.depth;
    depth_.store(result_.level_sizes.size() - 1, std::memory_order_relaxed);
    return !cut_off_;
  }

  template <class O>
  void expand_level(Worker& worker, O& observer) {
    for (std::size_t p; !crew_.stopped() && (p = next_piece_.fetch_add(1)) < pieces_.size();) {
      const Part& part = parts_[pieces_[p].part];
      std::uint64_t place = part.level->first_of_block(pieces_[p].block);
      auto next = std::ranges::upper_bound(part.numbers, place, {}, &Numbers::place);
      StateRun::Reader reader(*part.level, pieces_[p].block, pieces_[p].block + 1);
      for (; !crew_.stopped() && reader.next(); ++place) {
        if (next != part.numbers.end() && next->place == place) ++next;
        const LogNumber number = options_.log ? (next - 1)->number + (place - (next - 1)->place) : no_record;
        expand(worker, reader.state(), number, observer);
      }
    }
    flush(worker);
  }

  template <class O>
  void expand(Worker& worker, const std::byte* state, LogNumber number, O& observer) {
    const auto locate = [&] { return path_to(number, worker.graph); };
    std::uint32_t transitions = 0;
    bool stopped = false;
    worker.graph.successors(state, [&](const Step& step) {
      if (stopped) return;
      const std::uint32_t choice = transitions++;
      if (transitions % poll_every == 0) stopped = crew_.stopped();
      observer.on_step(step, locate);
      if (step.state) append(worker, step.state, number, choice);
    });
    add(worker.transitions, transitions);
    add(worker.expanded, 1);
    if (transitions == 0) {
      if (report_deadlock(observer, state, locate)) ++worker.deadlocks;
    }
    if (observer.done()) satisfy();
  }

  void append(Worker& worker, const std::byte* state, LogNumber parent, std::uint32_t choice) {
    const std::uint64_t hash = StateHash{}(state, state_bytes_);
    // Tables use other bits than these.
    const std::size_t part = hash >> 8 & (parts_.size() - 1);
    StateBatch& batch = worker.batches[part];
    std::byte* const extra = batch.add(state, hash);
    if (extra_bytes_ != 0) {
      put_log_number(extra, parent);
      std::memcpy(extra + logged_bytes, &choice, sizeof choice);
    }
    if (batch.full()) insert(part, batch);
  }

  void flush(Worker& worker) {
    for (std::size_t part = 0; part < parts_.size(); ++part)
      if (!worker.batches[part].empty()) insert(part, worker.batches[part]);
  }

  void insert(std::size_t part, StateBatch& batch) {
    parts_[part].states->insert(batch);
    batch.clear();
  }

  template <class O>
  void resolve(Worker& worker, Part& part, O& observer) {
    part.numbers.clear();
    std::uint64_t place = 0;
    worker.new_states.clear();
    worker.new_records.clear();
    part.level = part.states->resolve([&](const std::byte* state, const std::byte* extra) {
      worker.new_states.insert(worker.new_states.end(), state, state + state_bytes_);
      worker.new_records.push_back(extra_bytes_ != 0 ? record_of(extra) : LogRecord{});
      if (worker.new_records.size() == numbered_at_once) show_new(worker, part, place, observer);
    });
    show_new(worker, part, place, observer);
  }

  /// Numbers the states that were found to be new, from this place of the level on, and shows them to the observer.
  template <class O>
  void show_new(Worker& worker, Part& part, std::uint64_t& place, O& observer) {
    const std::size_t count = worker.new_records.size();
    if (count == 0) return;
    LogNumber number = 0;
    if (options_.log) {
      number = options_.log->append(worker.new_records);
      const bool follows =
          !part.numbers.empty() && number - part.numbers.back().number == place - part.numbers.back().place;
      if (!follows) part.numbers.push_back({place, number});
    }
    for (std::size_t i = 0; i < count; ++i)
      observer.on_state(worker.new_states.data() + i * state_bytes_,
                        [&] { return path_to(number + i, worker.graph); });
    if (observer.done()) satisfy();
    add(worker.found, count);
    place += count;
    worker.new_states.clear();
    worker.new_records.clear();
  }

  static LogRecord record_of(const std::byte* extra) {
    constexpr LogNumber none = (LogNumber{1} << 8 * logged_bytes) - 1;
    LogRecord record{get_log_number(extra), 0};
    if (record.parent == none) record.parent = no_record;
    std::memcpy(&record.choice, extra + logged_bytes, sizeof record.choice);
    return record;
  }

  void satisfy() {
    satisfied_.store(true, std::memory_order_relaxed);
    crew_.stop();
  }

  PathBuilder path_to(LogNumber number, const G& graph) const {
    if (!options_.log) return {};
    return PathBuilder([log = options_.log, own = graph, number](Budget& budget) mutable {
      return logged_run(own, *log, number, budget);
    });
  }

  /// Written by one thread, read by others.
  static void add(std::atomic<std::uint64_t>& count, std::uint64_t more) {
    count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  std::uint64_t sum(std::uint64_t (SpilledStates::*figure)() const) const {
    std::uint64_t all = 0;
    for (const Part& part : parts_) all += (*part.states.*figure)();
    return all;
  }

  RunStatus status() const {
    RunStatus status;
    std::uint64_t expanded = 0;
    for (const auto& worker : workers_) {
      status.states += worker->found.load(std::memory_order_relaxed);
      status.transitions += worker->transitions.load(std::memory_order_relaxed);
      expanded += worker->expanded.load(std::memory_order_relaxed);
    }
    status.frontier = status.states - std::min(expanded, status.states);
    status.depth = depth_.load(std::memory_order_relaxed);
    return status;
  }

  SearchResult finish(Budget& budget) {
    std::uint64_t counted = 0;
    for (const std::uint64_t size : result_.level_sizes) counted += size;
    for (const auto& worker : workers_) {
      result_.states += worker->found;
      result_.transitions += worker->transitions;
      result_.deadlocks += worker->deadlocks;
    }
    // A level of which a part was resolved when the search ended.
    if (counted < result_.states) result_.level_sizes.push_back(result_.states - counted);
    if (!result_.level_sizes.empty()) result_.depth = result_.level_sizes.size() - 1;
    if (!budget.reason().empty())
      result_.end = SearchEnd::exhausted;
    else if (satisfied_)
      result_.end = SearchEnd::satisfied;
    else
      result_.end = cut_off_ ? SearchEnd::cut_off : SearchEnd::complete;
    return result_;
  }

  DiskOptions options_;
  std::size_t state_bytes_, extra_bytes_;
  Crew crew_;
  DiskSpace space_;
  std::vector<Part> parts_;
  std::vector<std::unique_ptr<Worker>> workers_;
  bool resolving_ = true;  // the first level: initial states are candidates
  std::vector<Piece> pieces_;
  std::atomic<std::size_t> next_piece_{0};
  std::uint64_t level_size_ = 0;
  SearchResult result_;
  std::atomic<std::uint64_t> depth_{0};
  std::atomic<bool> satisfied_{false};
  bool cut_off_ = false;
};

}  // namespace tideline
