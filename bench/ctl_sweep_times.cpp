// Measures what a CTL check costs beyond the sweep itself, on the protocol of examples/stop_and_wait.
//
//   ctl_sweep_times REPETITIONS N-C...     every way of searching, for each configuration: counts and times
//   ctl_sweep_times alone WAY N-C          one search, in a process of its own: time and peak memory
//
//   ctl_sweep_times violations N-C...      what is said of properties that some variant of the protocol violates
//
// Ways: bfs (the whole state space in memory), sweep, P1 and P2 (AG EF and AG AF by CTL-Sweep), the same as
// published, and each with what it needs to show a run (bfs: parents; else the log on disk). Within a repetition
// they take turns, so that other load on the machine affects all alike; a configuration that takes milliseconds is
// searched as many times in a row as it takes to measure it. JSON goes to stdout.
#include <algorithm>
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

/// P1: AG EF (all received). P2: AG AF (data sent or all received). P3: AG AF (acknowledgement sent).
enum class Question { p1, p2, p3 };

struct Goal {
  StopAndWait protocol;
  Question question;

  std::int64_t evaluate(const std::byte* state, ModelErrorKind&) const {
    const StopAndWait::State now = protocol.unpack(state);
    if (question == Question::p3) return now.any(StopAndWait::ack_sent);
    return now.r == protocol.packets + 1 || (question == Question::p2 && now.any(StopAndWait::data_sent));
  }
  AlwaysForm::Kind kind() const {
    return question == Question::p1 ? AlwaysForm::Kind::possible : AlwaysForm::Kind::inevitable;
  }
};

struct Figures {
  std::uint64_t states = 0, edges = 0, stored_peak = 0, scc_searches = 0, steps = 0;
  bool violated = false;
  double seconds = 0;
};

const std::vector<std::string> ways = {"bfs",
                                       "sweep",
                                       "P1",
                                       "P2",
                                       "P1 published",
                                       "P2 published",
                                       "bfs with runs",
                                       "sweep with log",
                                       "P1 with log",
                                       "P2 with log",
                                       "P1 published with log",
                                       "P2 published with log"};

Figures check_by(const Goal& goal, const SweepOptions& options, bool published, Budget& budget) {
  AlwaysSweep<StopAndWait, Goal> search(goal.protocol, options, {{goal.kind(), goal}}, published);
  const SearchResult result = search.run(budget);
  Figures figures{.states = result.states,
                  .edges = result.transitions,
                  .stored_peak = search.figures().stored_peak,
                  .scc_searches = search.scc_searches(),
                  .violated = search.finding(0).violated};
  if (figures.violated && options.log) figures.steps = search.finding(0).run().states.size() - 1;
  return figures;
}

Figures search_by(const std::string& way, const StopAndWait& protocol) {
  const bool runs = way.find(" with ") != std::string::npos;
  const bool published = way.find(" published") != std::string::npos;
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
    figures = check_by({protocol, kind == "P1" ? Question::p1 : Question::p2}, options, published, budget);
    result = {.states = figures.states, .transitions = figures.edges};
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

constexpr double least_seconds = 0.3;  // of searches in a row that are timed as one

Json measure(const std::string& name, int repetitions) {
  const StopAndWait protocol = configuration(name);
  const double once = search_by("sweep", protocol).seconds;
  const int in_a_row = 1 + static_cast<int>(least_seconds / std::max(once, 1e-6));
  Json json = {{"configuration", name}, {"in_a_row", in_a_row}};
  std::map<std::string, std::vector<double>> seconds;
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (const std::string& way : ways) {
      Figures figures;
      double sum = 0;
      for (int i = 0; i < in_a_row; ++i) {
        figures = search_by(way, protocol);
        sum += figures.seconds;
      }
      seconds[way].push_back(sum / in_a_row);
      if (repetition != 0) continue;
      json["counts"][way] = {{"states", figures.states},
                             {"edges", figures.edges},
                             {"stored_peak", figures.stored_peak},
                             {"scc_searches", figures.scc_searches},
                             {"violated", figures.violated}};
    }
  json["seconds"] = seconds;
  return json;
}

/// P1 and P3 with and without acknowledgements for packets that were not expected, ours and as published.
Json violations(const std::string& name) {
  Json rows = Json::array();
  for (const bool always_ack : {true, false})
    for (const Question question : {Question::p1, Question::p3})
      for (const bool published : {false, true}) {
        StopAndWait protocol = configuration(name);
        protocol.always_ack = always_ack;
        Budget budget;
        const Figures figures =
            check_by({protocol, question}, {.log = std::make_shared<TraceLog>(default_trace_folder())},
                     published, budget);
        rows.push_back({{"configuration", name},
                        {"always_ack", always_ack},
                        {"property", question == Question::p1 ? "P1" : "P3"},
                        {"published", published},
                        {"violated", figures.violated},
                        {"states", figures.states},
                        {"steps", figures.steps}});
      }
  return rows;
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
    std::cerr << "usage: ctl_sweep_times REPETITIONS N-C... | alone WAY N-C | violations N-C...\n";
    return 2;
  }
  Json all = Json::array();
  if (given[0] == "violations") {
    for (std::size_t i = 1; i < given.size(); ++i)
      for (const Json& row : violations(given[i])) all.push_back(row);
    std::cout << all.dump(1) << "\n";
    return 0;
  }
  for (std::size_t i = 1; i < given.size(); ++i) all.push_back(measure(given[i], std::stoi(given[0])));
  std::cout << all.dump(1) << "\n";
}
