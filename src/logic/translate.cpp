#include "logic/translate.hpp"

#include <fmt/format.h>

#include <optional>

#include "logic/degeneralise.hpp"
#include "logic/ltl_simplify.hpp"
#include "logic/merge_by_language.hpp"
#include "logic/obligation.hpp"
#include "logic/prune.hpp"
#include "logic/simulation.hpp"
#include "logic/tableau.hpp"

namespace tideline {

namespace {

constexpr TableauLimits usual_limits{.edges = 20000, .nodes = 200000};
constexpr TableauLimits last_limits{.edges = 200000, .nodes = 2000000};
constexpr TableauLimits complement_limits{.edges = 1000, .nodes = 10000};

void require_few_atoms(const std::vector<std::uint32_t>& atoms) {
  if (atoms.size() <= max_ltl_atoms) return;
  throw Error(ErrorKind::input, fmt::format("the formula has {} atoms; at most {} can be handled",
                                            atoms.size(), max_ltl_atoms));
}

/// One translation: all that works on the same atoms and diagrams.
class Translation {
 public:
  Translation(LtlPool& pool, const std::vector<std::uint32_t>& atoms, const TranslationOptions& options)
      : pool_(pool), atoms_(atoms), options_(options), facts_(pool), simplifier_(facts_) {}

  Automaton run(Ltl f) {
    SymbolicAutomaton automaton = generalised(f);
    const auto complement = wants_complement() ? small_complement(f) : std::nullopt;
    std::optional<SymbolicAutomaton> weak;
    if (options_.minimise_obligations && complement) weak = minimal_weak(automaton, *complement, bdds_);
    const auto reduce_by_complement = [&] {
      if (options_.reduce_automaton && complement) merge_by_language(automaton, *complement, bdds_);
    };
    reduce_by_complement();
    if (options_.kind == AutomatonKind::buchi) {
      automaton = degeneralise(automaton, bdds_);
      if (options_.reduce_automaton) reduce_thoroughly(automaton, bdds_);
      reduce_by_complement();
    }
    if (weak) automaton = smallest(std::move(automaton), std::move(*weak));
    if (options_.reduce_automaton) tidy_marks(automaton);
    remove_useless_states(automaton);
    order_states(automaton);
    merge_edges(automaton, bdds_);
    return with_cubes(automaton, bdds_);
  }

 private:
  bool wants_complement() const { return options_.reduce_automaton || options_.minimise_obligations; }

  /// Of equally small ones the deterministic one.
  SymbolicAutomaton smallest(SymbolicAutomaton automaton, SymbolicAutomaton weak) {
    if (weak.size() <= automaton.size()) automaton = weak;
    if (options_.reduce_automaton) reduce_thoroughly(weak, bdds_);
    return weak.size() < automaton.size() ? std::move(weak) : std::move(automaton);
  }

  Ltl normal_form(Ltl f, bool negated) {
    const Ltl normal = facts_.negation_normal_form(f, negated);
    return options_.simplify_formula ? simplifier_.simplify(normal) : normal;
  }

  SymbolicAutomaton generalised(Ltl f) {
    const Ltl normal = normal_form(f, false);
    std::optional<SymbolicAutomaton> automaton;
    if (!options_.by_cover)
      automaton = tableau(pool_, normal, atoms_, bdds_, TableauManner::by_valuation, usual_limits);
    if (!automaton) automaton = tableau(pool_, normal, atoms_, bdds_, TableauManner::by_cover, last_limits);
    if (!automaton)
      throw Error(ErrorKind::input,
                  "the automaton of this formula is too large: it has hundreds of thousands of edges");
    reduce(*automaton);
    return std::move(*automaton);
  }

  /// The automaton of !f if it is small; it only helps to reduce.
  std::optional<SymbolicAutomaton> small_complement(Ltl f) {
    auto automaton =
        tableau(pool_, normal_form(f, true), atoms_, bdds_, TableauManner::by_valuation, complement_limits);
    if (automaton) reduce(*automaton);
    return automaton;
  }

  /// Marks only where they matter, and the same on all edges of a weak component.
  static void tidy_marks(SymbolicAutomaton& automaton) {
    if (!automaton.state_based) reduce_sets(automaton);
    saturate_marks(automaton, false);
  }

  void reduce(SymbolicAutomaton& automaton) {
    remove_useless_states(automaton);
    if (!options_.reduce_automaton) return;
    reduce_sets(automaton);
    merge_edges(automaton, bdds_);
    reduce_thoroughly(automaton, bdds_);
    reduce_sets(automaton);
  }

  LtlPool& pool_;
  const std::vector<std::uint32_t>& atoms_;
  const TranslationOptions& options_;
  LtlFacts facts_;
  LtlSimplifier simplifier_;
  BddManager bdds_;
};

}  // namespace

Automaton translate(LtlPool& pool, Ltl f, const TranslationOptions& options) {
  const std::vector<std::uint32_t> atoms = atoms_of(pool, f);
  require_few_atoms(atoms);
  Automaton result = Translation(pool, atoms, options).run(f);
  result.name = to_string(pool, f);
  for (const std::uint32_t atom : atoms) result.atoms.push_back(pool.atoms()[atom].name);
  return result;
}

Automaton to_buchi(const Automaton& automaton) {
  if (automaton.sets <= 1 && has_state_marks(automaton)) return automaton;
  BddManager bdds;
  SymbolicAutomaton symbolic;
  symbolic.sets = automaton.sets;
  symbolic.initial = automaton.initial;
  symbolic.edges.resize(automaton.states);
  for (const AutomatonEdge& edge : automaton.edges)
    symbolic.edges[edge.from].push_back({edge.to, edge.marks, bdds.cube(edge.label)});
  merge_edges(symbolic, bdds);
  symbolic = degeneralise(symbolic, bdds);
  remove_useless_states(symbolic);
  order_states(symbolic);
  merge_edges(symbolic, bdds);
  Automaton result = with_cubes(symbolic, bdds);
  result.name = automaton.name;
  result.atoms = automaton.atoms;
  return result;
}

}  // namespace tideline
