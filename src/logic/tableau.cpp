#include "logic/tableau.hpp"

#include <algorithm>
#include <map>

namespace tideline {

namespace {

/// Obligation variables that have to be true, in ascending order.
using Implicant = std::vector<std::uint32_t>;

class Tableau {
 public:
  Tableau(LtlPool& pool, const std::vector<std::uint32_t>& atoms, BddManager& labels, TableauManner manner,
          const TableauLimits& limits)
      : pool_(pool), labels_(labels), manner_(manner), limits_(limits), bdds_(limits.nodes) {
    for (std::uint32_t i = 0; i < atoms.size(); ++i) {
      label_variable_.emplace(atoms[i], i);
      // By valuation, atoms are on top of the diagrams; by cover, each comes where it is first met.
      if (manner == TableauManner::by_valuation) atom_variable(atoms[i]);
    }
    first_obligation_ = static_cast<std::uint32_t>(variables_.size());
  }

  SymbolicAutomaton build(Ltl f) {
    result_.initial = state_of(step(f, false));
    std::size_t edges = 0;
    for (std::uint32_t state = 0; state < functions_.size(); ++state) {
      if (manner_ == TableauManner::by_valuation)
        expand_by_valuation(state);
      else
        expand_by_cover(state);
      edges += result_.edges[state].size();
      if (edges > limits_.edges) throw BddOverflow();
    }
    result_.sets = static_cast<std::uint32_t>(promised_.size());
    turn_promises_into_marks();
    merge_edges(result_, labels_);
    return std::move(result_);
  }

 private:
  // What a variable of the unfolding stands for.
  struct Variable {
    enum class Kind { atom, next, promise };
    Kind kind;
    Ltl next;              // Kind::next
    std::uint32_t number;  // Kind::atom: variable of the labels; Kind::promise: acceptance set
  };

  std::uint32_t add_variable(Variable variable) {
    variables_.push_back(variable);
    return static_cast<std::uint32_t>(variables_.size()) - 1;
  }

  std::uint32_t atom_variable(std::uint32_t atom) {
    const auto [entry, is_new] = variable_of_atom_.try_emplace(atom);
    if (is_new) entry->second = add_variable({Variable::Kind::atom, {}, label_variable_.at(atom)});
    return entry->second;
  }

  Bdd next(Ltl f) {
    if (pool_.op(f) == LtlOp::true_ || pool_.op(f) == LtlOp::false_)
      return BddManager::constant(pool_.op(f) == LtlOp::true_);
    if (pool_.op(f) == LtlOp::and_) {
      Bdd all = 1;
      const std::vector<Ltl> parts(pool_.operands(f).begin(), pool_.operands(f).end());
      for (const Ltl part : parts) all = bdds_.and_(all, next(part));
      return all;
    }
    const auto [entry, is_new] = next_variable_.try_emplace(f.id);
    if (is_new) entry->second = add_variable({Variable::Kind::next, f, 0});
    return bdds_.variable(entry->second);
  }

  Bdd promise(Ltl f) {
    const auto [entry, is_new] = promised_.try_emplace(f.id);
    if (is_new) {
      const auto set = static_cast<std::uint32_t>(promised_.size() - 1);
      if (set >= max_translation_sets) throw BddOverflow();
      entry->second = add_variable({Variable::Kind::promise, {}, set});
    }
    return bdds_.variable(entry->second);
  }

  /// One step of f. `recurring`: the next step requires f again anyway.
  Bdd step(Ltl f, bool recurring) {
    const std::uint64_t key = (std::uint64_t{f.id} << 1) | (recurring ? 1u : 0u);
    if (const auto known = steps_.find(key); known != steps_.end()) return known->second;
    const Bdd result = unfold(f, recurring);
    steps_.emplace(key, result);
    return result;
  }

  Bdd unfold(Ltl f, bool recurring) {
    const LtlOp op = pool_.op(f);
    const auto now = [&](Ltl g) { return step(g, false); };
    const auto again = [&] { return recurring ? 1 : next(f); };
    switch (op) {
      case LtlOp::false_:
      case LtlOp::true_:
        return BddManager::constant(op == LtlOp::true_);
      case LtlOp::atom:
        return bdds_.variable(atom_variable(pool_.atom_index(f)));
      case LtlOp::not_:
        return bdds_.not_(now(pool_.left(f)));
      case LtlOp::and_:
      case LtlOp::or_: {
        Bdd all = BddManager::constant(op == LtlOp::and_);
        const std::vector<Ltl> parts(pool_.operands(f).begin(), pool_.operands(f).end());
        for (const Ltl part : parts)
          all = op == LtlOp::and_ ? bdds_.and_(all, step(part, recurring)) : bdds_.or_(all, now(part));
        return all;
      }
      case LtlOp::next:
        return next(pool_.left(f));
      case LtlOp::eventually: {
        const Ltl a = pool_.left(f);
        return bdds_.or_(now(a), bdds_.and_(promise(a), again()));
      }
      case LtlOp::always:
        return bdds_.and_(step(pool_.left(f), true), again());
      case LtlOp::until: {
        const Ltl a = pool_.left(f), b = pool_.right(f);
        return bdds_.or_(now(b), bdds_.and_(now(a), bdds_.and_(promise(b), again())));
      }
      case LtlOp::weak_until:
        return bdds_.or_(now(pool_.right(f)), bdds_.and_(now(pool_.left(f)), again()));
      case LtlOp::release: {
        if (recurring) return now(pool_.right(f));
        return bdds_.and_(now(pool_.right(f)), bdds_.or_(now(pool_.left(f)), again()));
      }
      case LtlOp::strong_release: {
        const Ltl a = pool_.left(f), b = pool_.right(f);
        return bdds_.and_(now(b), bdds_.or_(now(a), bdds_.and_(promise(a), again())));
      }
      case LtlOp::implies:
      case LtlOp::equivalent:
      case LtlOp::exclusive_or:
        break;
    }
    throw Error(ErrorKind::internal, "tableau: the formula is not in negation normal form");
  }

  std::uint32_t state_of(Bdd function) {
    const auto [entry, is_new] = state_of_function_.try_emplace(function);
    if (is_new) {
      entry->second = static_cast<std::uint32_t>(functions_.size());
      functions_.push_back(function);
      result_.edges.emplace_back();
    }
    return entry->second;
  }

  void expand_by_cover(std::uint32_t state) {
    for (const auto& implicant : bdds_.few_implicants(functions_[state], limits_.edges)) {
      Cube label;
      Implicant obligations;
      for (const BddLiteral& literal : implicant) {
        const Variable& variable = variables_[literal.variable];
        if (variable.kind != Variable::Kind::atom)
          obligations.push_back(literal.variable);  // never negative: the function is monotone in it
        else
          (literal.positive ? label.positive : label.negative) |= std::uint64_t{1} << variable.number;
      }
      add_edge(state, labels_.cube(label), obligations);
    }
  }

  void expand_by_valuation(std::uint32_t state) {
    std::map<Bdd, Bdd> label_of;  // what is left below the atoms -> the valuations that leave it
    collect(functions_[state], label_of);
    for (const auto& [rest, label] : label_of)
      for (const Implicant& implicant : minimal_implicants(rest)) add_edge(state, label, implicant);
  }

  // Atoms are on top of the diagrams: walk down to where they end. Inner nodes are shared, so labels are
  // pushed down once per node, in topological order (by variable).
  void collect(Bdd function, std::map<Bdd, Bdd>& leaves) {
    std::map<std::pair<std::uint32_t, Bdd>, Bdd> open;
    const auto arrive = [&](Bdd node, Bdd label) {
      if (node == 0) return;
      const bool is_leaf = bdds_.is_constant(node) || bdds_.top(node) >= first_obligation_;
      Bdd& known = is_leaf ? leaves[node] : open[{bdds_.top(node), node}];
      known = labels_.or_(known, label);
    };
    arrive(function, 1);
    while (!open.empty()) {
      const auto [at, label] = *open.begin();
      open.erase(open.begin());
      const Bdd variable = labels_.variable(variables_[at.first].number);
      arrive(bdds_.low(at.second), labels_.minus(label, variable));
      arrive(bdds_.high(at.second), labels_.and_(label, variable));
    }
  }

  /// The function has no negative occurrences, so these are its prime implicants.
  const std::vector<Implicant>& minimal_implicants(Bdd function) {
    if (const auto known = implicants_.find(function); known != implicants_.end()) return known->second;
    std::vector<Implicant> result;
    if (function == 1) result.emplace_back();
    if (!bdds_.is_constant(function)) {
      result = minimal_implicants(bdds_.low(function));
      const std::size_t without = result.size();
      for (const Implicant& rest : minimal_implicants(bdds_.high(function))) {
        const auto covers = [&](const Implicant& smaller) { return std::ranges::includes(rest, smaller); };
        if (std::any_of(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(without), covers))
          continue;
        Implicant one{bdds_.top(function)};
        one.insert(one.end(), rest.begin(), rest.end());
        result.push_back(std::move(one));
      }
    }
    if (result.size() > limits_.edges) throw BddOverflow();
    return implicants_.emplace(function, std::move(result)).first->second;
  }

  void add_edge(std::uint32_t state, Bdd label, const Implicant& implicant) {
    Bdd target = 1;
    Marks promises = 0;
    for (const std::uint32_t index : implicant) {
      const Variable variable = variables_[index];
      if (variable.kind == Variable::Kind::promise)
        promises |= Marks{1} << variable.number;
      else
        target = bdds_.and_(target, step(variable.next, false));
    }
    if (target == 0) return;
    const std::uint32_t to = state_of(target);  // may move result_.edges
    result_.edges[state].push_back({to, promises, label});
  }

  void turn_promises_into_marks() {
    for (auto& out : result_.edges)
      for (SymbolicEdge& edge : out) edge.marks = result_.all_marks() & ~edge.marks;
  }

  LtlPool& pool_;
  BddManager& labels_;
  TableauManner manner_;
  TableauLimits limits_;
  BddManager bdds_;                  // of the unfolding, over variables_
  std::vector<Variable> variables_;  // by index
  std::uint32_t first_obligation_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> label_variable_;    // by atom
  std::unordered_map<std::uint32_t, std::uint32_t> variable_of_atom_;  // by atom
  std::unordered_map<std::uint32_t, std::uint32_t> next_variable_;     // by formula
  std::unordered_map<std::uint32_t, std::uint32_t> promised_;          // by formula: its variable
  std::unordered_map<std::uint64_t, Bdd> steps_;
  std::unordered_map<Bdd, std::vector<Implicant>> implicants_;
  std::unordered_map<Bdd, std::uint32_t> state_of_function_;
  std::vector<Bdd> functions_;  // by state
  SymbolicAutomaton result_;
};

}  // namespace

std::optional<SymbolicAutomaton> tableau(LtlPool& pool, Ltl f, const std::vector<std::uint32_t>& atoms,
                                         BddManager& bdds, TableauManner manner,
                                         const TableauLimits& limits) {
  try {
    return Tableau(pool, atoms, bdds, manner, limits).build(f);
  } catch (const BddOverflow&) {
    return std::nullopt;
  }
}

}  // namespace tideline
