// Measures what a CTL check costs beyond the sweep itself, on the protocol of examples/stop_and_wait.
//
//   ctl_sweep_times REPETITIONS N-C...     every way of searching, for each configuration: counts and times
//   ctl_sweep_times alone WAY N-C          one search, in a process of its own: time and peak memory
//
// Ways: bfs (the whole state space in memory), sweep, P1 and P2 (AG EF and AG AF by CTL-Sweep), and each with
// what it needs to show a run (bfs: parents; else the log on disk). Within a repetition they take turns, so
// that other load on the machine affects all alike. JSON goes to stdout.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "protocol.hpp"
#include "search/ctl/sweep.hpp"
#include "search/states/bfs.hpp"
#include "search/sweep/sweep.hpp"
#include "store/segmented_table.hpp"
#include "store/trace_log.hpp"

namespace {

using namespace tideline;
using Json = nlohmann::ordered_json;

struct Goal {
  StopAndWait protocol;
  bool sent_suffices = false;

  std::int64_t evaluate(const std::byte* state, ModelErrorKind&) const {
    const StopAndWait::State now = protocol.unpack(state);
    return now.r == protocol.packets + 1 || (sent_suffices && now.any(StopAndWait::data_sent));
  }
};

struct Figures {
  std::uint64_t states = 0, edges = 0, stored_peak = 0;
  bool violated = false;
  double seconds = 0;
};

const std::vector<std::string> ways = {"bfs",           "sweep",          "P1",          "P2",
                                       "bfs with runs", "sweep with log", "P1 with log", "P2 with log"};

Figures search_by(const std::string& way, const StopAndWait& protocol) {
  const bool runs = way.find(" with ") != std::string::npos;
  const std::string kind = way.substr(0, way.find(' '));
  const auto start = std::chrono::steady_clock::now();
  Budget budget;
  Bystander bystander;
  SweepOptions options;
  if (runs && kind != "bfs") options.log = std::make_shared<TraceLog>(default_trace_folder());
  SearchResult result;
  Figures figures;
  if (kind == "bfs") {
    BreadthFirstSearch search(protocol, SegmentedTable<>(protocol.state_size()),
                              SearchOptions{.traces = runs});
    result = search.run(bystander, budget);
    figures.stored_peak = result.states;
  } else if (kind == "sweep") {
    SweepSearch search(protocol, options);
    result = search.run(bystander, budget);
    figures.stored_peak = search.figures().stored_peak;
  } else {
    const bool possible = kind == "P1";
    AlwaysSweep<StopAndWait, Goal> search(
        protocol, options,
        {{possible ? AlwaysForm::Kind::possible : AlwaysForm::Kind::inevitable, Goal{protocol, !possible}}});
    result = search.run(budget);
    figures.stored_peak = search.figures().stored_peak;
    figures.violated = search.finding(0).violated;
  }
  figures.states = result.states;
  figures.edges = result.transitions;
  figures.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return figures;
}

StopAndWait configuration(const std::string& name) {
  StopAndWait protocol;
  const std::size_t dash = name.find('-');
  protocol.packets = static_cast<unsigned>(std::atoi(name.c_str()));
  protocol.capacity = static_cast<unsigned>(std::atoi(name.c_str() + dash + 1));
  return protocol;
}

Json measure(const std::string& name, int repetitions) {
  const StopAndWait protocol = configuration(name);
  Json json = {{"configuration", name}};
  std::map<std::string, std::vector<double>> seconds;
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (const std::string& way : ways) {
      const Figures figures = search_by(way, protocol);
      seconds[way].push_back(figures.seconds);
      if (repetition != 0) continue;
      json["counts"][way] = {{"states", figures.states},
                             {"edges", figures.edges},
                             {"stored_peak", figures.stored_peak},
                             {"violated", figures.violated}};
    }
  json["seconds"] = seconds;
  return json;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  if (given.size() == 3 && given[0] == "alone") {
    const Figures figures = search_by(given[1], configuration(given[2]));
    std::cout << Json{{"seconds", figures.seconds}, {"peak_rss_bytes", peak_resident_bytes()}} << "\n";
    return 0;
  }
  if (given.size() < 2) {
    std::cerr << "usage: ctl_sweep_times REPETITIONS N-C... | alone WAY N-C\n";
    return 2;
  }
  Json all = Json::array();
  for (std::size_t i = 1; i < given.size(); ++i) all.push_back(measure(given[i], std::stoi(given[0])));
  std::cout << all.dump(1) << "\n";
}
