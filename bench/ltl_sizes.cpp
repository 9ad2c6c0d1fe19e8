// Compares sizes of automata with Spot's on the 569 formulas of the benchmark table, and measures the time.
//
// As a model checker does, the negation of each formula is translated, to a Büchi automaton and to a
// generalised one. Families of formulas whose automata grow exponentially by unfolding alone follow, as
// rows of a Markdown table. Usage: ltl_sizes TABLE.csv [RESULTS.json]; the columns of the table are named
// in its first line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "logic/translate.hpp"

namespace {

using namespace tideline;

struct Sizes {
  std::size_t states = 0, edges = 0;
  Sizes& operator+=(const Sizes& other) {
    states += other.states;
    edges += other.edges;
    return *this;
  }
};

struct Totals {
  std::size_t formulas = 0;
  std::array<Sizes, 2> ours, reference;  // Büchi, generalised
  double seconds = 0, slowest_ms = 0;    // of the Büchi automata
  std::string slowest;
};

struct Row {
  std::string set, formula;
  std::array<Sizes, 2> reference;
};

std::vector<Row> read_table(const std::string& file) {
  std::ifstream in(file);
  std::vector<Row> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> fields;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(',', at), line.size());
      fields.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    if (fields.size() < 6) throw Error(ErrorKind::input, "a line of the table has too few fields: " + line);
    const auto number = [&](std::size_t i) { return static_cast<std::size_t>(std::stoul(fields[i])); };
    rows.push_back({fields[0], fields[1], {Sizes{number(2), number(3)}, Sizes{number(4), number(5)}}});
  }
  return rows;
}

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

nlohmann::json measure(const Row& row, Totals& totals) {
  LtlPool pool;
  const Ltl f = pool.unary(LtlOp::not_, parse_ltl(pool, {"formula", row.formula}));
  nlohmann::json result{{"set", row.set}, {"formula", row.formula}};
  for (const std::size_t kind : {0u, 1u}) {
    const auto start = std::chrono::steady_clock::now();
    const Automaton automaton =
        translate(pool, f, {.kind = kind == 0 ? AutomatonKind::buchi : AutomatonKind::generalised});
    const double ms = ms_since(start);
    const Sizes sizes{automaton.states, automaton.edge_count()};
    totals.ours[kind] += sizes;
    totals.reference[kind] += row.reference[kind];
    result[kind == 0 ? "buchi" : "generalised"] = {{"states", sizes.states},
                                                   {"edges", sizes.edges},
                                                   {"reference_states", row.reference[kind].states},
                                                   {"reference_edges", row.reference[kind].edges},
                                                   {"ms", ms}};
    if (kind != 0) continue;
    totals.seconds += ms / 1000;
    if (ms > totals.slowest_ms) {
      totals.slowest_ms = ms;
      totals.slowest = row.formula;
    }
  }
  ++totals.formulas;
  return result;
}

/// True: the ratio of Büchi states is within the target.
bool show(const std::string& name, const Totals& totals, double target) {
  const auto ratio = [](std::size_t a, std::size_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  };
  const double reached = ratio(totals.ours[0].states, totals.reference[0].states);
  const bool ok = reached <= target;
  std::cout << fmt::format(
      "{:<10}{:>9}{:>8}{:>7}{:>8.3f}{:>8.2f} {:<7}{:>7}{:>7}{:>8}{:>7}{:>9.3f}{:>9.1f}\n", name,
      totals.formulas, totals.ours[0].states, totals.reference[0].states, reached, target,
      ok ? "ok" : "MISSED", totals.ours[0].edges, totals.reference[0].edges, totals.ours[1].states,
      totals.reference[1].states, totals.seconds, totals.slowest_ms);
  return ok;
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

struct Family {
  std::string name;
  std::string formula;
  std::string spot;  // states of the automaton of ltl2tgba -B
};

std::vector<Family> families() {
  std::string fairness = "p9";
  for (int i = 8; i > 0; --i) fairness = fmt::format("p{} && XF({})", i, fairness);
  const auto untils = [](int depth, int distance) {
    std::string f = fmt::format("GF a0 U ({} b)", repeated("X", distance));
    for (int i = 1; i <= depth; ++i) f = fmt::format("GF a{} U G({})", i, f);
    return fmt::format("!({})", f);
  };
  std::vector<Family> result;
  result.push_back({"`G(p0 && XF(p1 && XF(... p9)))`", fmt::format("G(p0 && XF({}))", fairness), "10"});
  for (const int n : {4, 6, 12})
    result.push_back({fmt::format("`GF(a <-> X^{} a)`", n), fmt::format("GF(a <-> {} a)", repeated("X", n)),
                      std::to_string(2 * n)});
  result.push_back({"`GF(a -> X^10 a)`", fmt::format("GF(a -> {} a)", repeated("X", 10)), "1"});
  result.push_back({"negation of f(2, 5), f(0, j) = `GF a0 U X^j b`, f(i, j) = `GF ai U G f(i - 1, j)`",
                    untils(2, 5), "13"});
  result.push_back({"`!(G(p1 xor XX(XXG p1 <-> F(X p2 M G p2))) U p1)`",
                    "!(G(p1 xor XX(XXG p1 <-> F(X p2 M G p2))) U p1)", "2"});
  return result;
}

void show_families() {
  std::cout << "\n| formula | Büchi states | Spot |\n| --- | ---: | ---: |\n";
  for (const Family& family : families()) {
    LtlPool pool;
    const Automaton automaton = translate(pool, parse_ltl(pool, {"formula", family.formula}));
    std::cout << fmt::format("| {} | {} | {} |\n", family.name, automaton.states, family.spot);
  }
}

int run(const std::string& table, const std::string& results) {
  std::map<std::string, Totals> groups;
  nlohmann::json formulas = nlohmann::json::array();
  for (const Row& row : read_table(table))
    formulas.push_back(measure(row, groups[row.set == "random" ? "random" : "published"]));

  std::cout << fmt::format("{:<19}{:>38}{:>14}{:>15}{:>18}\n", "", "Büchi states", "edges", "TGBA states",
                           "time");
  std::cout << fmt::format("{:<10}{:>9}{:>8}{:>7}{:>8}{:>8} {:<7}{:>7}{:>7}{:>8}{:>7}{:>9}{:>9}\n",
                           "formulas", "number", "ours", "Spot", "ratio", "target", "", "ours", "Spot",
                           "ours", "Spot", "all s", "most ms");
  bool ok = true;
  for (const auto& [name, totals] : groups) ok = show(name, totals, name == "random" ? 1.20 : 1.10) && ok;
  double seconds = 0;
  for (const auto& [name, totals] : groups) seconds += totals.seconds;
  std::cout << fmt::format("\nAll Büchi automata in {:.2f} s (target 5 s: {}).\n", seconds,
                           seconds < 5 ? "ok" : "MISSED");
  show_families();
  if (!results.empty()) std::ofstream(results) << formulas.dump(1) << "\n";
  return ok && seconds < 5 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: ltl_sizes TABLE.csv [RESULTS.json]\n";
    return 2;
  }
  try {
    return run(argv[1], argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
