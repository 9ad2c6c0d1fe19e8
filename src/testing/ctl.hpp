// Shared by tests of CTL: random formulas and structures, and the meaning of formulas in a structure, written
// as directly as possible: every operator by a fixed point of its own, iterated over all states until nothing
// changes. It uses none of the code under test, and no duality.
#pragma once

#include <rapidcheck.h>

#include <functional>
#include <string>
#include <vector>

#include "logic/ctl.hpp"
#include "model/ctl_formula.hpp"

namespace tideline::testing {

/// Any number from low to below end, whatever the size of the test case: RapidCheck on its own prefers small
/// ones at first, and would hardly ever reach the last operators of an enumeration.
template <class T>
T pick(T low, T end) {
  return *rc::gen::resize(1000, rc::gen::inRange<T>(low, end));
}

/// States are numbers; bit i of a label is the i-th of the names.
struct Structure {
  std::vector<std::vector<std::uint32_t>> next;
  std::vector<std::uint64_t> labels;
};

/// Sparse, with self loops, parallel edges and deadlocks.
inline Structure random_structure(std::size_t most_states, std::size_t names) {
  const auto size = pick<std::uint32_t>(1, static_cast<std::uint32_t>(most_states) + 1);
  Structure structure;
  structure.next.resize(size);
  for (std::uint32_t s = 0; s < size; ++s)
    structure.labels.push_back(pick<std::uint64_t>(0, std::uint64_t{1} << names));
  const auto edges = pick<std::size_t>(0, 2 * size + 1);
  for (std::size_t i = 0; i < edges; ++i)
    structure.next[pick<std::uint32_t>(0, size)].push_back(pick<std::uint32_t>(0, size));
  return structure;
}

class CtlMeaning {
 public:
  using Set = std::vector<bool>;

  CtlMeaning(const CtlPool& pool, const Structure& structure, const std::vector<std::string>& names,
             DeadlockPaths paths)
      : pool_(pool), structure_(structure), names_(names), paths_(paths) {}

  /// By state: whether f is true there.
  Set of(Ctl f) const {
    std::vector<Set> parts;
    for (const Ctl operand : pool_.operands(f)) parts.push_back(of(operand));
    const CtlOp op = pool_.op(f);
    const bool all = is_universal(op);
    // In one state: f and g there, and the values in the next states.
    const auto a = [&](std::size_t s) { return static_cast<bool>(parts[0][s]); };
    const auto b = [&](std::size_t s) { return static_cast<bool>(parts[1][s]); };
    switch (op) {
      case CtlOp::false_:
        return Set(size());
      case CtlOp::true_:
        return Set(size(), true);
      case CtlOp::atom:
        return each([&](std::size_t s) { return is_labelled(s, pool_.atoms()[pool_.atom_index(f)].name); });
      case CtlOp::not_:
        return each([&](std::size_t s) { return !a(s); });
      case CtlOp::and_:
        return each([&](std::size_t s) {
          for (const Set& part : parts)
            if (!part[s]) return false;
          return true;
        });
      case CtlOp::or_:
        return each([&](std::size_t s) {
          for (const Set& part : parts)
            if (part[s]) return true;
          return false;
        });
      case CtlOp::implies:
        return each([&](std::size_t s) { return !a(s) || b(s); });
      case CtlOp::equivalent:
        return each([&](std::size_t s) { return a(s) == b(s); });
      case CtlOp::exclusive_or:
        return each([&](std::size_t s) { return a(s) != b(s); });
      case CtlOp::ex:
      case CtlOp::ax:
        return each([&](std::size_t s) { return step(parts[0], s, all, all); });
      case CtlOp::ef:
      case CtlOp::af:
        return least([&](const Set& z, std::size_t s) { return a(s) || step(z, s, all, false); });
      case CtlOp::eg:
      case CtlOp::ag:
        return greatest([&](const Set& z, std::size_t s) { return a(s) && step(z, s, all, true); });
      case CtlOp::eu:
      case CtlOp::au:
        return least([&](const Set& z, std::size_t s) { return b(s) || (a(s) && step(z, s, all, false)); });
      case CtlOp::ew:
      case CtlOp::aw:
        return greatest([&](const Set& z, std::size_t s) { return b(s) || (a(s) && step(z, s, all, true)); });
      case CtlOp::er:
      case CtlOp::ar:
        return greatest([&](const Set& z, std::size_t s) { return b(s) && (a(s) || step(z, s, all, true)); });
      case CtlOp::em:
      case CtlOp::am:
        return least([&](const Set& z, std::size_t s) { return b(s) && (a(s) || step(z, s, all, false)); });
    }
    return {};
  }

 private:
  using Rule = std::function<bool(const Set&, std::size_t)>;

  std::size_t size() const { return structure_.next.size(); }
  bool is_labelled(std::size_t state, const std::string& name) const {
    for (std::size_t bit = 0; bit < names_.size(); ++bit)
      if (names_[bit] == name) return (structure_.labels[state] >> bit & 1) != 0;
    return false;
  }

  /// Whether all next states (or some) are in the set. Where a run ends, `ended`; where it repeats its last
  /// state, that one.
  bool step(const Set& set, std::size_t state, bool all, bool ended) const {
    const auto& next = structure_.next[state];
    if (next.empty()) return paths_ == DeadlockPaths::stutter ? static_cast<bool>(set[state]) : ended;
    for (const std::uint32_t to : next)
      if (set[to] != all) return !all;
    return all;
  }

  Set each(const std::function<bool(std::size_t)>& rule) const {
    Set result(size());
    for (std::size_t s = 0; s < size(); ++s) result[s] = rule(s);
    return result;
  }
  Set fixed_point(Set set, const Rule& rule) const {
    for (bool changed = true; changed;) {
      Set next = each([&](std::size_t s) { return rule(set, s); });
      changed = next != set;
      set = std::move(next);
    }
    return set;
  }
  Set least(const Rule& rule) const { return fixed_point(Set(size()), rule); }
  Set greatest(const Rule& rule) const { return fixed_point(Set(size(), true), rule); }

  const CtlPool& pool_;
  const Structure& structure_;
  const std::vector<std::string>& names_;
  DeadlockPaths paths_;
};

inline bool has_one_operand(CtlOp op) {
  return op == CtlOp::not_ || op == CtlOp::ex || op == CtlOp::ef || op == CtlOp::eg || op == CtlOp::ax ||
         op == CtlOp::af || op == CtlOp::ag;
}

inline CtlOp random_operator() {
  return static_cast<CtlOp>(pick(static_cast<int>(CtlOp::not_), static_cast<int>(CtlOp::am) + 1));
}

/// A random formula with at most `size` operators over the names.
inline Ctl random_ctl(CtlPool& pool, int size, const std::vector<std::string>& names) {
  if (size <= 0 || pick(0, 12) == 0) {
    const auto choice = pick<std::size_t>(0, 5 * names.size() + 1);
    if (choice == 5 * names.size()) return pool.constant(pick(0, 2) == 1);
    return pool.atom(names[choice % names.size()]);
  }
  const CtlOp op = random_operator();
  if (has_one_operand(op)) return pool.unary(op, random_ctl(pool, size - 1, names));
  const int left = pick(0, size);
  const Ctl first = random_ctl(pool, left, names);
  return pool.binary(op, first, random_ctl(pool, size - 1 - left, names));
}

}  // namespace tideline::testing
