#include "logic/stuttering.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "logic/degeneralise.hpp"
#include "logic/property_process.hpp"
#include "logic/prune.hpp"
#include "logic/simulation.hpp"
#include "logic/translate.hpp"

namespace tideline {

namespace {

// Bounds that keep each test within about a second; automata of usual properties take milliseconds.
constexpr std::size_t max_closed_edges = 20000;
constexpr std::size_t max_closed_edges_of_state = 2000;
constexpr std::size_t max_edge_pairs = 5000000;
constexpr std::uint32_t max_profile_states = 64;  // a set of states is a machine word
constexpr std::size_t max_letters = 4096;
constexpr std::size_t max_profile_steps = 100000000;

// ---- formulas: automata without repetitions ----

bool has_next(const LtlPool& pool, Ltl f) {
  bool found = false;
  for_each_subformula(pool, f, [&](Ltl g) { found |= pool.op(g) == LtlOp::next; });
  return found;
}

/// Adds an edge for every path that a repeated letter can take, with the marks of all its edges. False: there
/// are too many.
bool close_under_removal(SymbolicAutomaton& automaton, BddManager& bdds) {
  const SymbolicAutomaton original = automaton;
  std::size_t count = 0;
  for (auto& out : automaton.edges) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const SymbolicEdge first = out[i];  // a copy: `out` grows
      for (const SymbolicEdge& second : original.edges[first.to]) {
        SymbolicEdge path{second.to, first.marks | second.marks, bdds.and_(first.label, second.label)};
        for (const SymbolicEdge& known : out)
          if (known.to == path.to && (path.marks & ~known.marks) == 0)
            path.label = bdds.minus(path.label, known.label);
        if (path.label != 0) out.push_back(path);
      }
      if (out.size() > max_closed_edges_of_state || count + out.size() > max_closed_edges) return false;
    }
    count += out.size();
  }
  merge_edges(automaton, bdds);
  return true;
}

// ---- automata: a sufficient test ----

/// Where a letter has led to a state, its repetition leads to one that simulates it; and where a repeated
/// letter leads, the single one leads to a state that simulates it, with no fewer marks.
bool is_invariant_by_simulation(const SymbolicAutomaton& automaton, BddManager& bdds) {
  const auto above = simulation_relation(automaton, bdds);
  const auto leads_above = [&](std::uint32_t from, const SymbolicEdge& wanted) {
    Bdd missing = wanted.label;
    for (const SymbolicEdge& edge : automaton.edges[from])
      if (above[wanted.to][edge.to] && (wanted.marks & ~edge.marks) == 0)
        missing = bdds.minus(missing, edge.label);
    return missing == 0;
  };
  for (std::uint32_t state = 0; state < automaton.size(); ++state)
    for (const SymbolicEdge& first : automaton.edges[state]) {
      if (!leads_above(first.to, {first.to, 0, first.label})) return false;
      for (const SymbolicEdge& second : automaton.edges[first.to])
        if (!leads_above(state,
                         {second.to, first.marks | second.marks, bdds.and_(first.label, second.label)}))
          return false;
    }
  return true;
}

// ---- automata: what words do to states ----

using StateSet = std::uint64_t;
using Relation = std::vector<StateSet>;  // by source

StateSet image(StateSet from, const Relation& relation) {
  StateSet result = 0;
  for (std::size_t state = 0; state < relation.size(); ++state)
    if ((from >> state & 1) != 0) result |= relation[state];
  return result;
}

StateSet preimage(const Relation& relation, StateSet to) {
  StateSet result = 0;
  for (std::size_t state = 0; state < relation.size(); ++state)
    if ((relation[state] & to) != 0) result |= StateSet{1} << state;
  return result;
}

/// What a finite word does: where it leads, and where it leads with an accepting edge on the way.
struct Profile {
  explicit Profile(std::size_t states) : to(states), accepting(states) {}

  Relation to, accepting;
  auto operator<=>(const Profile&) const = default;
};

Profile concatenation(const Profile& u, const Profile& v) {
  Profile result(u.to.size());
  for (std::size_t state = 0; state < u.to.size(); ++state) {
    result.to[state] = image(u.to[state], v.to);
    result.accepting[state] = image(u.to[state], v.accepting) | image(u.accepting[state], v.to);
  }
  return result;
}

/// The states from which the word, repeated for ever, is accepted.
StateSet accepting_repetition(Profile word) {
  for (Profile before(0); before != word;) {  // until it stands for one repetition or more
    before = word;
    const Profile twice = concatenation(word, word);
    for (std::size_t state = 0; state < word.to.size(); ++state) {
      word.to[state] |= twice.to[state];
      word.accepting[state] |= twice.accepting[state];
    }
  }
  StateSet recurring = 0;
  for (std::size_t state = 0; state < word.to.size(); ++state)
    recurring |= word.accepting[state] & (StateSet{1} << state);
  return preimage(word.to, recurring);
}

/// One profile for each set of valuations that the automaton treats alike. Nothing: there are too many.
std::optional<std::set<Profile>> letters_of(const SymbolicAutomaton& automaton, BddManager& bdds) {
  std::vector<Bdd> classes{1};
  for (const auto& out : automaton.edges)
    for (const SymbolicEdge& edge : out) {
      std::vector<Bdd> split;
      for (const Bdd valuations : classes)
        for (const Bdd part : {bdds.and_(valuations, edge.label), bdds.minus(valuations, edge.label)})
          if (part != 0) split.push_back(part);
      classes = std::move(split);
      if (classes.size() > max_letters) return std::nullopt;
    }
  std::set<Profile> letters;
  for (const Bdd valuations : classes) {
    Profile letter(automaton.size());
    for (std::uint32_t state = 0; state < automaton.size(); ++state)
      for (const SymbolicEdge& edge : automaton.edges[state]) {
        if (!bdds.implies(valuations, edge.label)) continue;
        letter.to[state] |= StateSet{1} << edge.to;
        if (edge.marks != 0) letter.accepting[state] |= StateSet{1} << edge.to;
      }
    letters.insert(std::move(letter));
  }
  return letters;
}

/// The test for a Büchi automaton by its letters.
class ExchangeTest {
 public:
  ExchangeTest(std::set<Profile> letters, std::uint32_t initial)
      : letters_(letters.begin(), letters.end()), initial_(initial) {}

  Stuttering run() {
    if (!find_prefixes() || !find_words() || !find_suffixes()) return Stuttering::unknown_too_large;
    // x l y z^w: by the states from which y z^w is accepted.
    for (const StateSet suffix : suffixes_)
      for (const Profile& letter : letters_) {
        const StateSet once = preimage(letter.to, suffix);
        if (!look_alike(once, preimage(letter.to, once))) return Stuttering::sensitive;
      }
    // x (l z)^w, which is all there is inside of a loop: x (y l z)^w = x y (l z y)^w, and without z both are
    // the same word.
    for (const auto& longer : after_)
      for (std::size_t letter = 0; letter < letters_.size(); ++letter) {
        const std::uint32_t once = longer[letter], twice = after_[once][letter];
        if (!look_alike(repeated_[once], repeated_[twice])) return Stuttering::sensitive;
      }
    return spent_ > max_profile_steps ? Stuttering::unknown_too_large : Stuttering::invariant;
  }

 private:
  /// Counts work; false when it is enough.
  bool spend(std::size_t steps) {
    spent_ += steps;
    return spent_ <= max_profile_steps;
  }

  /// Sets that a step makes of others. `found` has those to begin with.
  template <class Step>
  bool close(std::set<StateSet>& found, Step step) {
    std::vector<StateSet> open(found.begin(), found.end());
    while (!open.empty()) {
      const StateSet set = open.back();
      open.pop_back();
      if (!spend(letters_.size() * letters_[0].to.size())) return false;
      for (const Profile& letter : letters_)
        if (const StateSet next = step(letter, set); found.insert(next).second) open.push_back(next);
    }
    return true;
  }

  /// Where words lead from the initial state.
  bool find_prefixes() {
    prefixes_.insert(StateSet{1} << initial_);
    return close(prefixes_, [](const Profile& letter, StateSet set) { return image(set, letter.to); });
  }

  /// All profiles of words, by letters put before those that are known.
  bool find_words() {
    std::map<Profile, std::uint32_t> number;
    std::vector<const Profile*> words;
    const auto number_of = [&](const Profile& word) {
      const auto [entry, is_new] = number.try_emplace(word, static_cast<std::uint32_t>(number.size()));
      if (is_new) words.push_back(&entry->first);
      return entry->second;
    };
    for (const Profile& letter : letters_) number_of(letter);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t states = words[i]->to.size();
      if (!spend(letters_.size() * states * states)) return false;
      after_.emplace_back();
      for (const Profile& letter : letters_) after_[i].push_back(number_of(concatenation(letter, *words[i])));
      repeated_.push_back(accepting_repetition(*words[i]));
    }
    return true;
  }

  /// From which states words are accepted that end in a loop.
  bool find_suffixes() {
    suffixes_.insert(repeated_.begin(), repeated_.end());
    return close(suffixes_, [](const Profile& letter, StateSet set) { return preimage(letter.to, set); });
  }

  /// No prefix leads to a state of one set and to none of the other.
  bool look_alike(StateSet a, StateSet b) {
    if (a == b || !spend(prefixes_.size())) return true;
    return std::ranges::all_of(prefixes_,
                               [&](StateSet from) { return ((from & a) != 0) == ((from & b) != 0); });
  }

  std::vector<Profile> letters_;
  std::uint32_t initial_;
  std::set<StateSet> prefixes_, suffixes_;
  std::vector<std::vector<std::uint32_t>> after_;  // by word and letter: the letter and then the word
  std::vector<StateSet> repeated_;  // by word: from where it is accepted when repeated for ever
  std::size_t spent_ = 0;
};

/// One acceptance set instead of several or none.
void make_buchi(SymbolicAutomaton& automaton, BddManager& bdds) {
  if (automaton.sets > 1) {
    automaton = degeneralise(automaton, bdds);
    remove_useless_states(automaton);
    merge_edges(automaton, bdds);
  }
  if (automaton.sets == 0)
    for (auto& out : automaton.edges)
      for (SymbolicEdge& edge : out) edge.marks = 1;
}

Stuttering by_exchange(SymbolicAutomaton automaton, BddManager& bdds) {
  make_buchi(automaton, bdds);
  if (automaton.size() > max_profile_states) return Stuttering::unknown_too_large;
  auto letters = letters_of(automaton, bdds);
  if (!letters) return Stuttering::unknown_too_large;
  return ExchangeTest(std::move(*letters), automaton.initial).run();
}

}  // namespace

std::string_view reason(Stuttering stuttering) {
  switch (stuttering) {
    case Stuttering::invariant:
      return "the property does not see how often a state is repeated";
    case Stuttering::sensitive:
      return "the property sees how often a state is repeated";
    case Stuttering::unknown_with_variables:
      return "its automaton has variables of its own";
    case Stuttering::unknown_too_large:
      break;
  }
  return "its automaton is too large to decide whether it sees how often a state is repeated";
}

Stuttering stuttering_of(LtlPool& pool, Ltl f) {
  if (!has_next(pool, f)) return Stuttering::invariant;
  try {
    const TranslationOptions options{.kind = AutomatonKind::generalised};
    return stuttering_of(translate(pool, f, options), translate(pool, pool.unary(LtlOp::not_, f), options));
  } catch (const Error&) {  // the formula cannot be translated
    return Stuttering::unknown_too_large;
  }
}

Stuttering stuttering_of(const Automaton& automaton, const Automaton& complement) {
  try {
    BddManager bdds;
    SymbolicAutomaton a = with_labels(automaton, bdds), b = with_labels(complement, bdds);
    if (!close_under_removal(a, bdds) || !close_under_removal(b, bdds)) return Stuttering::unknown_too_large;
    if (a.edge_count() * b.edge_count() > max_edge_pairs) return Stuttering::unknown_too_large;
    const auto common = product(a, b, bdds, max_edge_pairs);
    if (!common) return Stuttering::unknown_too_large;
    const std::vector<bool> accepting = accepting_sccs(*common, sccs(*common));
    const bool is_empty = std::ranges::find(accepting, true) == accepting.end();
    return is_empty ? Stuttering::invariant : Stuttering::sensitive;
  } catch (const BddOverflow&) {
    return Stuttering::unknown_too_large;
  }
}

Stuttering stuttering_of(const Automaton& automaton) {
  try {
    BddManager bdds;
    SymbolicAutomaton reduced = with_labels(automaton, bdds);
    remove_useless_states(reduced);
    if (reduced.size() > max_profile_states) return Stuttering::unknown_too_large;
    reduce_sets(reduced);
    reduce_thoroughly(reduced, bdds);
    reduce_sets(reduced);
    merge_edges(reduced, bdds);
    if (is_invariant_by_simulation(reduced, bdds)) return Stuttering::invariant;
    return by_exchange(std::move(reduced), bdds);
  } catch (const BddOverflow&) {
    return Stuttering::unknown_too_large;
  }
}

Stuttering stuttering_of(const PropertyProcess& process) {
  const auto has_effects = [](const PropertyProcess::Edge& edge) { return !edge.effects.empty(); };
  if (!process.slots.empty() || std::ranges::any_of(process.edges, has_effects))
    return Stuttering::unknown_with_variables;
  const auto taken_apart = to_automaton(process);
  return taken_apart ? stuttering_of(taken_apart->automaton) : Stuttering::unknown_too_large;
}

}  // namespace tideline
