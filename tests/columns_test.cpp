// Measures composed from the components, on random networks: a sweep by columns visits exactly the
// states that can be reached, within the bound that is proved for it, and finds the same infinite runs
// as other engines.
//
// The bound is Theorem 2 of L. M. Kristensen, T. Mailund: A Compositional Sweep-Line State Space Exploration
// Method, FORTE 2002: the sum over all columns C of (|B(C)| + 1) |C|, where B(C) are the destinations of
// regress edges in C.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "exec/interpreter.hpp"
#include "exec/reference.hpp"
#include "lang/lts/network.hpp"
#include "progress/composition.hpp"
#include "progress/measured.hpp"
#include "search/lassos/liveness.hpp"
#include "search/sweep/sweep.hpp"
#include "testing/changing_measure.hpp"

namespace tideline {
namespace {

class RandomNetwork {
 public:
  explicit RandomNetwork(std::uint64_t seed) : random_(seed) {
    const std::uint32_t count = 2 + below(3);
    std::vector<lts::Composite> sides;
    for (ComponentId id = 0; id < count; ++id) sides.push_back(add_component(id));
    network_.vectors = lts::parallel(sides).composite.vectors;
  }

  System system() const { return to_system(network_, "psl", {"network", ""}); }

  std::uint32_t below(std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_);
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    std::shuffle(values.begin(), values.end(), random_);
  }

 private:
  /// Some go forward only, some come back now and then. Few labels are shared.
  lts::Composite add_component(ComponentId id) {
    const std::uint32_t states = 2 + below(5);
    const bool forward = below(3) == 0;
    lts::NetworkComponent component{.name = fmt::format("P{}", id), .lts = {.states = states}};
    std::vector<lts::LabelId> names{0};
    for (const std::string& label : {std::string("a"), std::string("b"), fmt::format("own{}", id)}) {
      component.lts.labels.intern(label);
      names.push_back(network_.labels.intern(label));
    }
    for (std::uint32_t t = states + below(states); t > 0; --t) {
      lts::StateId from = below(states), to = below(states);
      if ((forward || below(4) != 0) && to < from) std::swap(from, to);
      component.lts.transitions.push_back({from, below(3) == 0 ? 1 + below(2) : 3 * below(2), to});
    }
    component.lts.normalise();
    network_.components.push_back(std::move(component));
    return lts::alone(id, names, {});
  }

  std::mt19937_64 random_;
  lts::Network network_;
};

struct StateSpace {
  std::set<Values> states;
  std::set<std::pair<Values, Values>> edges;
};

StateSpace explore(const System& system) {
  const Reference reference(system, ErrorSemantics::stop);
  StateSpace space{{system.initial}, {}};
  std::vector<Values> open{system.initial};
  while (!open.empty()) {
    const Values state = std::move(open.back());
    open.pop_back();
    for (const ActionId action : reference.enabled(state)) {
      const Values next = reference.fire(action, state).state;
      space.edges.emplace(state, next);
      if (space.states.insert(next).second) open.push_back(next);
    }
  }
  return space;
}

/// SCCs of some slots in any order, then trees of some, and sums of both; everything that can be claimed is.
Measure any_mix(const System& system, RandomNetwork& random) {
  const Locals locals = local_measures(system, ErrorSemantics::stop);
  std::vector<LocalMeasure> parts = locals.measures;
  std::vector<MeasureTerm> terms;
  for (const bool of_sccs : {true, false}) {
    random.shuffle(parts);
    for (const LocalMeasure& part : parts) {
      if (random.below(3) == 0) continue;
      MeasureTerm term = of_sccs ? scc_term(system, part) : tree_term(system, part);
      if (!terms.empty() && random.below(4) == 0)
        terms.back() = sum_term(system, {terms.back(), term});
      else
        terms.push_back(std::move(term));
    }
  }
  for (MeasureTerm& term : terms) term.monotone = false;
  return with_claims(system, {system, std::move(terms)}, locals);
}

struct Visited {
  const Layout& layout;
  std::set<Values> states = {};
  template <class Locate>
  void on_state(const std::byte* state, const Locate&) {
    states.insert(layout.unpack(state));
  }
  template <class Locate>
  void on_step(const Step&, const Locate&) {}
  template <class Locate>
  void on_deadlock(const Locate&) {}
  bool done() const { return false; }
};

std::uint64_t most_visits(const System& system, const StateSpace& space, const Measure& measure) {
  const Layout layout(system);
  const unsigned rest = measure.suffix(measure.monotone_terms()).bits();
  const auto progress = [&](const Values& state) {
    std::vector<std::byte> packed(layout.size());
    layout.pack(state, packed.data());
    return measure(packed.data());
  };
  std::map<Progress, std::uint64_t> size;
  std::map<Progress, std::set<Values>> destinations;
  for (const Values& state : space.states) ++size[progress(state) >> rest];
  for (const auto& [from, to] : space.edges)
    if (progress(to) < progress(from)) destinations[progress(to) >> rest].insert(to);
  std::uint64_t sum = 0;
  for (const auto& [column, states] : size) sum += (destinations[column].size() + 1) * states;
  return sum;
}

RC_GTEST_PROP(Columns, VisitExactlyWhatCanBeReached, (std::uint64_t seed)) {
  RandomNetwork random(seed);
  const System system = random.system();
  const StateSpace space = explore(system);
  const Measure measure = any_mix(system, random);
  const unsigned shift = measure.claimed_shift();
  const auto program = Program::compile(system, ErrorSemantics::stop);
  SweepSearch search(Measured(Interpreter(program), measure),
                     SweepOptions{.claimed_shift = shift, .column_shift = shift});
  Visited visited{program->layout()};
  Budget budget;
  const SearchResult result = search.run(visited, budget);
  RC_ASSERT(result.end == SearchEnd::complete);
  RC_ASSERT(!search.figures().broken_claim);
  RC_ASSERT(visited.states == space.states);
  RC_ASSERT(search.figures().expansions <= most_visits(system, space, measure));
  RC_ASSERT(search.figures().stored_peak <= space.states.size());
  RC_CLASSIFY(search.figures().expansions > space.states.size());
  RC_CLASSIFY(measure.monotone_terms() != 0);
}

RC_GTEST_PROP(Columns, VisitExactlyWhatCanBeReachedWhileTheMeasureChanges, (std::uint64_t seed)) {
  RandomNetwork random(seed);
  const System system = random.system();
  const StateSpace space = explore(system);
  const Measure first = any_mix(system, random);
  std::vector<Measure> changes;
  for (std::uint32_t left = random.below(8); left > 0; --left) changes.push_back(any_mix(system, random));
  const auto program = Program::compile(system, ErrorSemantics::stop);
  SweepSearch search(Measured(Interpreter(program), first),
                     SweepOptions{.claimed_shift = first.claimed_shift(),
                                  .column_shift = first.claimed_shift(),
                                  .adviser = std::make_shared<test::Changes>(std::move(changes))});
  Visited visited{program->layout()};
  Budget budget;
  RC_ASSERT(search.run(visited, budget).end == SearchEnd::complete);
  RC_ASSERT(!search.figures().broken_claim);
  RC_ASSERT(visited.states == space.states);
  if (search.figures().sweeps == 1) RC_ASSERT(search.figures().expansions == space.states.size());
}

/// Accepts runs on which, from some point on, the component is always in this state.
PropertyProcess staying_at(SlotId slot, std::int32_t value) {
  const Expr here = Expr::binary(Op::eq, Expr::load(slot), Expr::constant(value));
  PropertyProcess process{.name = "stays",
                          .initial = 0,
                          .locations = {{.name = "waits"}, {.name = "stays"}},
                          .accepting = {{1}},
                          .edges = {},
                          .slots = {}};
  process.edges.push_back({.from = 0, .to = 0});
  process.edges.push_back({.from = 0, .to = 1, .guard = here});
  process.edges.push_back({.from = 1, .to = 1, .guard = here});
  return process;
}

RC_GTEST_PROP(Columns, HaveTheInfiniteRunsThatOthersFind, (std::uint64_t seed)) {
  RandomNetwork random(seed);
  const System system = random.system();
  const auto slot = static_cast<SlotId>(random.below(static_cast<std::uint32_t>(system.slots.size())));
  const auto value =
      static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(system.slots[slot].range.high) + 1));
  const Property property{.name = "stays",
                          .kind = PropertyKind::automaton,
                          .formula = "",
                          .process = std::make_shared<PropertyProcess>(staying_at(slot, value))};
  const auto verdict = [&](LivenessOptions options) {
    Budget budget;
    return check_liveness(system, property, options, budget).results.front().verdict;
  };
  const Verdict expected = verdict({.engine = search_scc});
  RC_CLASSIFY(expected == Verdict::violated);
  LivenessOptions options{.engine = search_swept_lassos};
  options.sweep.measure = any_mix(system, random);
  options.traces = false;
  RC_ASSERT(verdict(options) == expected);
}

}  // namespace
}  // namespace tideline
