// Simulates breadth-first search by many ranks: what the protocol of cluster/ranks costs where no machine at
// hand has that many cores.
//
//   cluster_simulation search MODEL COSTS RANKS...    the whole search, message by message
//   cluster_simulation settle COSTS RANKS...          ends of levels alone: how long, and how many messages
//   cluster_simulation balance MODEL RANKS...         how evenly hashes spread the states of a model
//
// `search` and `settle` run the code of src/cluster on simulated processors and links (simulated_cluster.hpp);
// COSTS is a JSON object with the fields of `Costs` below, times in nanoseconds and bandwidth in Gbit/s.
// `balance` visits all states and looks at their owners. Prints JSON: a row for each number of ranks.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "cluster/states/bfs.hpp"
#include "graph/factory.hpp"
#include "lang/lang.hpp"
#include "search/states/bfs.hpp"
#include "simulated_cluster.hpp"
#include "store/segmented_table.hpp"

namespace {

using namespace tideline;
using bench::SimulatedCluster;
using nlohmann::json;

const Stepping stepping{.errors = ErrorSemantics::error_state};

struct Settings {
  bench::Costs costs;
  double transition = 0;  ///< seconds to take a transition and to pack the state that it leads to
  double insert = 0;      ///< seconds to look for a state in the table, and to insert it
};

Settings settings_from(const std::string& text) {
  const json given = json::parse(text);
  constexpr double nano = 1e-9;
  Settings settings;
  settings.transition = given.value("transition_ns", 250.0) * nano;
  settings.insert = given.value("insert_ns", 100.0) * nano;
  settings.costs.message = given.value("message_ns", 1000.0) * nano;
  settings.costs.latency = given.value("latency_ns", 10000.0) * nano;
  settings.costs.local_latency = given.value("local_latency_ns", 1000.0) * nano;
  settings.costs.bandwidth = given.value("gbit", 10.0) * 1e9 / 8;
  settings.costs.ranks_per_machine = given.value("ranks_per_machine", 1u);
  return settings;
}

/// A graph whose steps take simulated time. What a rank keeps for itself it also inserts.
template <Graph G>
class TimedGraph {
 public:
  TimedGraph(G graph, SimulatedCluster& cluster, double seconds)
      : graph_(std::move(graph)), cluster_(&cluster), seconds_(seconds) {}

  std::size_t state_size() const { return graph_.state_size(); }
  void initial(auto&& sink) { graph_.initial(sink); }
  void successors(const std::byte* state, auto&& sink) {
    graph_.successors(state, [&](const Step& step) {
      cluster_->work(seconds_);
      sink(step);
    });
  }

 private:
  G graph_;
  SimulatedCluster* cluster_;
  double seconds_;
};

json traffic_of(const SimulatedCluster& cluster, unsigned ranks) {
  const bench::Traffic& traffic = cluster.traffic();
  const std::uint64_t reports = ranks <= cluster::Ranks::few_ranks ? ranks * (ranks - 1) : ranks - 1;
  return {{"batches", traffic.batches},
          {"batch_bytes", traffic.batch_bytes},
          {"control", traffic.control},
          {"waves", ranks > 1 ? traffic.up / reports : 0},
          {"most_outstanding", traffic.most_outstanding},
          {"idle_seconds", traffic.idle}};
}

json search(const System& system, Settings settings, unsigned ranks) {
  return with_graph(system, stepping, [&](const auto& graph) {
    settings.costs.take_byte = settings.insert / static_cast<double>(sizeof(StateId) + graph.state_size());
    SimulatedCluster cluster(ranks, settings.costs);
    const TimedGraph timed(graph, cluster, settings.transition + settings.insert / ranks);
    SearchResult result;
    const double seconds = cluster.run([&](cluster::Ranks& job) {
      Bystander bystander;
      Budget budget;
      result = cluster::BreadthFirstSearch(timed, job, {.traces = false}, bystander, budget).run();
    });
    json row = traffic_of(cluster, ranks);
    const double alone = static_cast<double>(result.transitions) * (settings.transition + settings.insert);
    row.update({{"ranks", ranks},
                {"seconds", seconds},
                {"states", result.states},
                {"transitions", result.transitions},
                {"levels", result.level_sizes.size()},
                {"speedup", alone / seconds}});
    return row;
  });
}

json settle(const Settings& settings, unsigned ranks) {
  constexpr unsigned levels = 20;
  SimulatedCluster cluster(ranks, settings.costs);
  const double seconds = cluster.run([](cluster::Ranks& job) {
    for (unsigned level = 0; level < levels; ++level) {
      while (!job.all_taken([] { return cluster::Totals{.sums = {1, 0, 0}}; }))
        if (!job.poll()) job.pause();
    }
  });
  json row = traffic_of(cluster, ranks);
  row.update({{"ranks", ranks},
              {"seconds_a_level", seconds / levels},
              {"waves_a_level", row["waves"].get<double>() / levels},
              {"messages_a_level", row["control"].get<double>() / levels}});
  return row;
}

/// How many states of each level every number of ranks has at most: waiting for each other at the ends of
/// levels, the ranks take as long as the fullest one of each level.
json balance(const System& system, std::span<const unsigned> all_ranks) {
  return with_graph(system, stepping, [&](const auto& graph) {
    Bystander bystander;
    Budget budget;
    BreadthFirstSearch bfs(graph, SegmentedTable<>(graph.state_size()), {.traces = false});
    const SearchResult found = bfs.run(bystander, budget);
    json rows = json::array();
    for (const unsigned ranks : all_ranks) {
      std::vector<std::uint64_t> owned(ranks), of_level(ranks);
      std::uint64_t fullest = 0;
      StateId id = 0;
      for (const std::uint64_t size : found.level_sizes) {
        std::ranges::fill(of_level, 0);
        for (const StateId end = id + static_cast<StateId>(size); id != end; ++id)
          ++of_level[cluster::owner_of(bfs.table().hash(bfs.table().state(id)), ranks)];
        fullest += std::ranges::max(of_level);
        for (unsigned rank = 0; rank < ranks; ++rank) owned[rank] += of_level[rank];
      }
      const double mean = static_cast<double>(found.states) / ranks;
      rows.push_back({{"ranks", ranks},
                      {"states", found.states},
                      {"levels", found.level_sizes.size()},
                      {"most_over_mean", static_cast<double>(std::ranges::max(owned)) / mean},
                      {"least_over_mean", static_cast<double>(std::ranges::min(owned)) / mean},
                      {"levels_over_mean", static_cast<double>(fullest) / mean}});
    }
    return rows;
  });
}

std::vector<unsigned> numbers(std::span<char* const> words) {
  std::vector<unsigned> result;
  for (const char* word : words) result.push_back(static_cast<unsigned>(std::stoul(word)));
  return result;
}

json answer(const std::string& command, std::span<char* const> arguments) {
  json rows = json::array();
  if (command == "search" && arguments.size() > 2) {
    const Model model = load_model(arguments[0]);
    for (const unsigned ranks : numbers(arguments.subspan(2)))
      rows.push_back(search(model.system, settings_from(arguments[1]), ranks));
  } else if (command == "settle" && arguments.size() > 1) {
    for (const unsigned ranks : numbers(arguments.subspan(1)))
      rows.push_back(settle(settings_from(arguments[0]), ranks));
  } else if (command == "balance" && arguments.size() > 1) {
    rows = balance(load_model(arguments[0]).system, numbers(arguments.subspan(1)));
  } else {
    throw Error(ErrorKind::usage,
                "usage: cluster_simulation search MODEL COSTS RANKS... | settle COSTS RANKS... | balance "
                "MODEL RANKS...");
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::span<char* const> words(argv, static_cast<std::size_t>(argc));
  std::cout << answer(argc > 1 ? argv[1] : "", words.subspan(std::min<std::size_t>(2, words.size()))).dump(1)
            << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
