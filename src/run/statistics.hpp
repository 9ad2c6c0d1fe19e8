// Statistics: what an engine counted and measured.
//
// Every statistic is declared in one table, `statistic_rows`. Text and JSON answers, the way the searches of
// one answer merge, the schema and the table in docs/json.md all follow from it. A statistic is set and found
// by its name, which the compiler looks up: `statistics.set("states", n)` compiles, and with a name that the
// table does not have it does not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tideline {

enum class Unit : std::uint8_t {
  count,        ///< an integer
  large_count,  ///< an integer, or its decimal digits when 64 bits are not enough
  flag,         ///< 0 or 1
  bytes,        ///< an integer
  mean_bytes,   ///< a floating-point number
  seconds,      ///< a floating-point number
  per_second,   ///< an integer
  fraction,     ///< a floating-point number from 0 to 1
  text,
};

/// What an answer says when several searches led to it. Two searches of one graph have not seen twice as many
/// states, so most numbers are of their search only.
enum class Merge : std::uint8_t {
  none,     ///< nothing: each search has its own
  model,    ///< a size of the model, as the first search that visited all of its states has counted it
  largest,  ///< the largest value that a search has
  sum,      ///< the sum, if all searches have a value
  whole,    ///< the command measures it once for the whole answer, however many searches there are
};

struct StatisticRow {
  std::string_view name;   ///< in JSON
  std::string_view label;  ///< in the table of `explore`
  Unit unit;
  Merge merge;
  std::string_view meaning;  ///< in docs/json.md
  /// In the line of `check`, with the value in place of "{}" and a plural at "(s)". Empty: not there.
  std::string_view phrase = "";
  std::string_view words = "";  ///< all values that a text can have, with spaces between them; empty: any
};

/// In the order in which the line of `check` and docs/json.md have them.
inline constexpr auto statistic_rows = std::to_array<StatisticRow>({
    {"states", "states", Unit::large_count, Merge::model,
     "different states that were found; `sweep` knows it only after a single, complete sweep", "{} state(s)"},
    {"transitions", "transitions", Unit::large_count, Merge::model,
     "transitions that were looked at, those that end in a model error included", "{} transition(s)"},
    {"deadlocks", "deadlocks", Unit::large_count, Merge::model,
     "states without an enabled action; one that ends in a model error is enabled; `sweep`: as `states`"},
    {"depth", "depth", Unit::count, Merge::none, "steps to the deepest state"},
    {"levels", "levels", Unit::count, Merge::none, "levels of breadth-first search", "{} level(s)"},

    {"nodes", "nodes", Unit::count, Merge::none, "`symbolic`: nodes of the diagram of all reachable states",
     "{} node(s)"},
    {"nodes_peak", "nodes peak", Unit::count, Merge::none, "`symbolic`: most nodes that existed at a time"},
    {"node_bytes", "node memory", Unit::bytes, Merge::none, "`symbolic`: bytes of those nodes"},
    {"diagram_levels", "diagram levels", Unit::count, Merge::none, "`symbolic`: levels of the diagram"},
    {"order", "order", Unit::text, Merge::none, "`symbolic`: the variable order that was taken"},
    {"cache_lookups", "cache lookups", Unit::count, Merge::sum,
     "`symbolic`: how often a result was looked up in the cache of operations"},
    {"cache_hits", "cache hits", Unit::count, Merge::sum, "`symbolic`: how often it was found there"},
    {"collections", "collections", Unit::count, Merge::sum, "`symbolic`: garbage collections"},
    {"tuples", "tuples", Unit::count, Merge::sum,
     "`symbolic`: tuples of values on which actions were fired one by one to learn their relation"},
    {"checked_nodes", "checked nodes", Unit::count, Merge::sum,
     "`symbolic` for infinite runs: saturated nodes in which a cycle was looked for"},
    {"avoided_transitions", "avoided transitions", Unit::count, Merge::sum,
     "of `checked_nodes`, those decided because nothing is accepting or nothing was fired"},
    {"avoided_recurring", "avoided recurring", Unit::count, Merge::sum,
     "of `checked_nodes`, those decided because no state is recurring"},
    {"avoided_abstraction", "avoided abstraction", Unit::count, Merge::sum,
     "of `checked_nodes`, those decided because the abstraction has no SCC"},
    {"avoided_known", "avoided known", Unit::count, Merge::sum, "of `checked_nodes`, those decided earlier"},
    {"sure_cycles", "sure cycles", Unit::count, Merge::sum,
     "of `checked_nodes`, those with a cycle that the abstraction is sure of"},
    {"hull_searches", "hull searches", Unit::count, Merge::sum,
     "symbolic searches that the other `checked_nodes` took"},
    {"hull_time_s", "hull time", Unit::seconds, Merge::sum,
     "`symbolic` for infinite runs: time spent on SCCs and cycles"},

    {"automaton", "automaton", Unit::text, Merge::none,
     "shape of the property automaton: `terminal` (whatever reaches an accepting SCC is wrong), `weak` "
     "(every cycle in an accepting SCC is accepting) or `general`",
     "{} automaton", "terminal weak general"},
    {"product_states", "product states", Unit::large_count, Merge::none,
     "states of the product with a property automaton: all with `explore --product`, those that were found "
     "with engines for infinite runs; `sweep`: as `states`",
     "{} product state(s)"},
    {"product_transitions", "product transitions", Unit::count, Merge::none,
     "transitions of that product that were looked at", "{} product transition(s)"},
    {"accepting_self_loops", "accepting self loops", Unit::count, Merge::none,
     "`explore --product`: transitions of the product that are accepting cycles by themselves"},
    {"expansions", "expansions", Unit::count, Merge::none,
     "engines for infinite runs: how often a product state was expanded"},
    {"rounds", "rounds", Unit::count, Merge::none,
     "`owcty`, `owcty-map`: elimination rounds; `map`, `sweep`: passes"},
    {"early", "early", Unit::flag, Merge::none,
     "violated properties of infinite runs: 1 when the cycle was found before all product states were known"},

    {"sweeps", "sweeps", Unit::count, Merge::none, "`sweep`: passes of the line over the state space",
     "{} sweep(s)"},
    {"measures", "measures", Unit::count, Merge::none,
     "`sweep`: progress measures that were used, one after the other; not there if it was one",
     "{} measures"},
    {"layers", "layers", Unit::count, Merge::none, "`sweep`: positions of the line, in all sweeps together"},
    {"visited", "visited", Unit::count, Merge::none,
     "visits to states; more than `states` where an engine visits a state again", "{} visit(s)"},
    {"stored_peak", "stored peak", Unit::count, Merge::none, "most states stored at a time",
     "at most {} state(s) stored"},
    {"persistent", "persistent", Unit::count, Merge::none, "`sweep`: states that became persistent"},
    {"regress_edges", "regress edges", Unit::count, Merge::none,
     "`sweep`: transitions back behind the line, counted each time one is met"},
    {"candidates", "candidates", Unit::count, Merge::none,
     "`sweep` for infinite runs: persistent states from which cycles over several layers were searched"},
    {"across_expansions", "across expansions", Unit::count, Merge::none,
     "of `expansions`, those of the search for such cycles"},
    {"cycle", "cycle", Unit::text, Merge::none,
     "`sweep`, violated properties of infinite runs: `layer` when the cycle lies in one layer, `across` when "
     "it spans several",
     "", "layer across"},
    {"scc_searches", "SCC searches", Unit::count, Merge::none,
     "`sweep` for CTL: layers whose SCCs were computed for `AG EF`"},
    {"cycle_searches", "cycle searches", Unit::count, Merge::none,
     "`sweep` for CTL: layers that were searched for a cycle for `AG AF`"},
    {"passes", "passes", Unit::count, Merge::none,
     "`sweep` for CTL with layers on disk: how often they were read"},
    {"values_peak", "values peak", Unit::count, Merge::none,
     "`sweep` for CTL with layers on disk: most states whose values were kept at a time"},
    {"layer_file_bytes", "layer files", Unit::bytes, Merge::none,
     "`sweep` for CTL with layers on disk: length of the files"},

    {"device", "device", Unit::text, Merge::none,
     "`gpu`, `gpu-sweep`: the card, or what has taken its place"},
    {"cards", "cards", Unit::count, Merge::none,
     "`gpu`, `gpu-sweep` with `--cards`: over how many states were spread"},
    {"device_bytes", "device memory", Unit::bytes, Merge::largest,
     "`gpu`, `gpu-sweep`: most memory of the device in use at a time"},
    {"device_start_time_s", "first kernel after", Unit::seconds, Merge::none,
     "`gpu`, `gpu-sweep`: time from the beginning of the run until the device began to search"},
    {"host_bytes", "host memory", Unit::bytes, Merge::largest,
     "`gpu-sweep`: most memory of the host that was in use for states the device had no room for, or may "
     "come back to"},
    {"replaced", "replaced", Unit::count, Merge::none, "`cache`: states that gave their place to others"},
    {"walks", "walks", Unit::count, Merge::none, "`walk`: random walks that were taken"},
    {"steps", "steps", Unit::count, Merge::none, "`walk`: steps of all walks together"},
    {"bits_set", "bits set", Unit::count, Merge::none, "`bitstate`: bits of the table in use"},
    {"coverage", "coverage", Unit::fraction, Merge::none,
     "estimated part of the states that was seen, by `bitstate`, or by a `sweep` that a limit has ended"},
    {"coverage_least", "coverage, at least", Unit::fraction, Merge::none,
     "`sweep` that a limit has ended: `coverage` is probably not below"},
    {"coverage_most", "coverage, at most", Unit::fraction, Merge::none,
     "`sweep` that a limit has ended: `coverage` is probably not above"},

    {"reduction", "reduction", Unit::text, Merge::none,
     "`--por`: which sets of actions were followed, `stubborn` or `ample`", "{} sets", "stubborn ample"},
    {"reduced_states", "reduced states", Unit::count, Merge::none,
     "`--por`: states in which enabled actions were left out; all others were expanded fully. Only of "
     "engines that visit every state once",
     "{} state(s) reduced"},
    {"reduced_expansions", "reduced expansions", Unit::count, Merge::none,
     "`--por`, infinite runs: how many of the `expansions` left out enabled actions",
     "{} expansion(s) reduced"},

    {"given_places", "given places", Unit::count, Merge::whole,
     "`check --reduce-net`: places of the net; all other numbers are about the reduced net"},
    {"given_transitions", "given transitions", Unit::count, Merge::whole,
     "`check --reduce-net`: transitions of the net"},
    {"places_left", "places left", Unit::count, Merge::whole, "`check --reduce-net`: places that are left"},
    {"transitions_left", "transitions left", Unit::count, Merge::whole,
     "`check --reduce-net`: transitions that are left"},

    {"store", "store", Unit::text, Merge::none,
     "`--store`: `tree` when states were kept as trees of shared parts, `hash` when only hashes were kept, "
     "`disk` "
     "when they were kept on disk; not there when each was kept whole in memory",
     "store {}", "tree hash disk"},
    {"moved_states", "states moved into trees", Unit::count, Merge::none,
     "`--store auto`: states that were kept whole until they had nearly filled the memory, and were moved "
     "into "
     "trees then"},
    {"missed_probability", "probability of a missed state", Unit::fraction, Merge::none,
     "`--store hash`: at most the probability that a state was taken for another one, and that states were "
     "missed for it"},
    {"disk_bytes", "disk space", Unit::bytes, Merge::largest,
     "`--store disk`: most bytes on disk at a time, of states and of the log for runs; `gpu-sweep`: of "
     "states",
     "{} on disk"},
    {"disk_runs", "sorted runs", Unit::count, Merge::none,
     "`--store disk`: sorted runs of states that were written to disk, merged ones included"},
    {"table_bytes", "table memory", Unit::bytes, Merge::none, "bytes of the table that holds the states"},
    {"state_bytes", "bytes in a state", Unit::bytes, Merge::largest, "bytes of a packed state"},
    {"bytes_per_state", "bytes used a state", Unit::mean_bytes, Merge::none,
     "growth of the process's memory at its peak, divided by the states"},
    {"threads", "threads", Unit::count, Merge::largest, "threads used"},
    {"ranks", "ranks", Unit::count, Merge::largest,
     "processes that searched together; other statistics are of all of them, `peak_rss_bytes` of the largest",
     "{} ranks"},
    {"batches", "batches", Unit::count, Merge::none,
     "messages with states that ranks have sent to each other"},
    {"batch_bytes", "bytes in batches", Unit::bytes, Merge::none, "bytes of those messages"},
    {"time_s", "time", Unit::seconds, Merge::whole,
     "wall-clock time, the time to read the model not included", "{}"},
    {"measure_time_s", "time for the measure", Unit::seconds, Merge::whole,
     "`sweep`: the part of `time_s` that was spent on finding a progress measure and trying it on a sample, "
     "or on waiting "
     "until one was found"},
    {"states_per_s", "states a second", Unit::per_second, Merge::whole,
     "`explore`: `states` over `time_s` without `measure_time_s`"},
    {"peak_rss_bytes", "peak memory", Unit::bytes, Merge::largest, "highest resident memory of the process",
     "{}"},
});

/// One of the statistics, by the number of its row.
class Stat {
 public:
  /// A name that is not in the table does not compile.
  consteval Stat(const char* name) : Stat(number_of(name)) {
    if (row_ == statistic_rows.size()) throw "there is no statistic of this name in statistic_rows";
  }

  /// A name that comes from a file; nothing when it is not in the table.
  static constexpr std::optional<Stat> named(std::string_view name) {
    const std::size_t row = number_of(name);
    return row < statistic_rows.size() ? std::optional(Stat(row)) : std::nullopt;
  }
  /// All of them, in the order of the table.
  static std::vector<Stat> all() {
    std::vector<Stat> stats;
    for (std::size_t row = 0; row < statistic_rows.size(); ++row) stats.push_back(Stat(row));
    return stats;
  }

  constexpr const StatisticRow* operator->() const { return &statistic_rows[row_]; }
  friend constexpr bool operator==(Stat, Stat) = default;

 private:
  constexpr explicit Stat(std::size_t row) : row_(static_cast<std::uint8_t>(row)) {}

  static constexpr std::size_t number_of(std::string_view name) {
    std::size_t row = 0;
    while (row < statistic_rows.size() && statistic_rows[row].name != name) ++row;
    return row;
  }

  std::uint8_t row_;
  static_assert(statistic_rows.size() < 256);
};

/// Values of statistics, in the order in which they are shown.
class Statistics {
 public:
  using Value = std::variant<std::uint64_t, double, std::string>;

  void set(Stat stat, Value value) {
    for (auto& [known, old] : entries_)
      if (known == stat) {
        old = std::move(value);
        return;
      }
    entries_.emplace_back(stat, std::move(value));
  }
  const Value* find(Stat stat) const {
    for (const auto& [known, value] : entries_)
      if (known == stat) return &value;
    return nullptr;
  }
  const std::vector<std::pair<Stat, Value>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<Stat, Value>> entries_;
};

}  // namespace tideline
