#include "logic/translate.hpp"

#include <fmt/format.h>

#include <optional>

#include "logic/degeneralise.hpp"
#include "logic/ltl_simplify.hpp"
#include "logic/merge_by_language.hpp"
#include "logic/obligation.hpp"
#include "logic/prune.hpp"
#include "logic/recurrence.hpp"
#include "logic/simulation.hpp"
#include "logic/tableau.hpp"

namespace tideline {

namespace {

constexpr TableauLimits usual_limits{.edges = 20000, .nodes = 200000};
constexpr TableauLimits last_limits{.edges = 200000, .nodes = 2000000};
constexpr std::size_t max_product_states = 2000;

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

  /// If both are equally small, the deterministic one.
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
    auto composed = options_.simplify_formula ? by_recurrences(normal) : std::nullopt;
    // If there is an automaton already, only one that does not get much larger is of interest.
    auto unfolded = composed ? unfold(normal, limits_beside(*composed)) : unfold(normal);
    if (!unfolded && !composed)
      throw Error(ErrorKind::input,
                  "the automaton of this formula is too large: it has hundreds of thousands of edges");
    if (!unfolded || (composed && composed->size() < unfolded->size())) return std::move(*composed);
    return std::move(*unfolded);
  }

  static TableauLimits limits_beside(const SymbolicAutomaton& other) {
    return {.edges = std::min(usual_limits.edges, 4 * other.edge_count() + 200), .nodes = usual_limits.nodes};
  }

  std::optional<SymbolicAutomaton> unfold(Ltl normal, const TableauLimits& limits) {
    auto automaton = tableau(pool_, normal, atoms_, bdds_, TableauManner::by_valuation, limits);
    if (automaton) reduce(*automaton);
    return automaton;
  }

  std::optional<SymbolicAutomaton> unfold(Ltl normal) {
    auto automaton = options_.by_cover ? std::nullopt : unfold(normal, usual_limits);
    if (automaton) return automaton;
    automaton = tableau(pool_, normal, atoms_, bdds_, TableauManner::by_cover, last_limits);
    if (automaton) reduce(*automaton);
    return automaton;
  }

  /// As a product with automata of the parts that must recur; nothing if there are none.
  std::optional<SymbolicAutomaton> by_recurrences(Ltl normal) {
    const Recurrences split = split_recurrences(facts_, normal);
    if (split.recurring.empty()) return std::nullopt;
    auto result = unfold(split.rest, usual_limits);
    for (const Ltl part : split.recurring) {
      if (!result) return std::nullopt;
      auto found = unfold(pool_.unary(LtlOp::eventually, part), usual_limits);
      if (found) found = again_and_again(std::move(*found));
      if (!found) return std::nullopt;
      result = product(*result, *found, bdds_, max_product_states);
      if (result) reduce(*result);
    }
    return result;
  }

  /// The automaton of !f if it is small; it only helps to reduce.
  std::optional<SymbolicAutomaton> small_complement(Ltl f) {
    return unfold(normal_form(f, true), usual_limits);
  }

  /// Marks only where they matter, and the same on all edges of a weak SCC.
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
  SymbolicAutomaton symbolic = degeneralise(with_labels(automaton, bdds), bdds);
  remove_useless_states(symbolic);
  order_states(symbolic);
  merge_edges(symbolic, bdds);
  Automaton result = with_cubes(symbolic, bdds);
  result.name = automaton.name;
  result.atoms = automaton.atoms;
  return result;
}

}  // namespace tideline
