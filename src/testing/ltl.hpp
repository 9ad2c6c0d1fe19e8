// Shared by tests of LTL: random formulas, lassos, and the meaning of formulas and automata on a lasso,
// written as directly as possible and without the code under test.
#pragma once

#include <rapidcheck.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "logic/automaton.hpp"
#include "logic/ltl.hpp"

namespace tideline::testing {

/// The word letters[0 .. loop) (letters[loop ..))^omega; bit i of a letter is the i-th of the names.
struct Lasso {
  std::vector<std::uint64_t> letters;
  std::size_t loop = 0;

  std::size_t next(std::size_t position) const { return position + 1 < letters.size() ? position + 1 : loop; }
};

inline std::string to_string(const Lasso& lasso) {
  std::string text;
  for (std::size_t i = 0; i < lasso.letters.size(); ++i)
    text += (i == lasso.loop ? "| " : "") + std::to_string(lasso.letters[i]) + " ";
  return text;
}

/// True where f holds, by position. Temporal operators are evaluated by looking at all later positions.
inline std::vector<bool> truth(const LtlPool& pool, Ltl f, const Lasso& lasso,
                               const std::vector<std::string>& names) {
  const std::size_t size = lasso.letters.size();
  std::vector<std::vector<bool>> parts;
  for (const Ltl operand : pool.operands(f)) parts.push_back(truth(pool, operand, lasso, names));
  // b at some position from `start` on, and a at all positions before it; or (weak) a for ever.
  const auto until = [&](std::size_t start, const auto& a, const auto& b, bool weak) {
    std::size_t at = start;
    for (std::size_t step = 0; step <= 2 * size; ++step, at = lasso.next(at)) {
      if (b(at)) return true;
      if (!a(at)) return false;
    }
    return weak;
  };
  const auto always_true = [](std::size_t) { return true; };
  const auto always_false = [](std::size_t) { return false; };
  std::vector<bool> result(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto left = [&](std::size_t at) { return static_cast<bool>(parts[0][at]); };
    const auto right = [&](std::size_t at) { return static_cast<bool>(parts[1][at]); };
    const auto both = [&](std::size_t at) { return left(at) && right(at); };
    bool value = false;
    switch (pool.op(f)) {
      case LtlOp::false_:
        break;
      case LtlOp::true_:
        value = true;
        break;
      case LtlOp::atom: {
        const std::string& name = pool.atoms()[pool.atom_index(f)].name;
        for (std::size_t bit = 0; bit < names.size(); ++bit)
          if (names[bit] == name) value = (lasso.letters[i] >> bit) & 1;
        break;
      }
      case LtlOp::not_:
        value = !left(i);
        break;
      case LtlOp::and_:
        value = true;
        for (const auto& part : parts) value = value && part[i];
        break;
      case LtlOp::or_:
        for (const auto& part : parts) value = value || part[i];
        break;
      case LtlOp::implies:
        value = !left(i) || right(i);
        break;
      case LtlOp::equivalent:
        value = left(i) == right(i);
        break;
      case LtlOp::exclusive_or:
        value = left(i) != right(i);
        break;
      case LtlOp::next:
        value = left(lasso.next(i));
        break;
      case LtlOp::eventually:
        value = until(i, always_true, left, false);
        break;
      case LtlOp::always:
        value = until(i, left, always_false, true);
        break;
      case LtlOp::until:
        value = until(i, left, right, false);
        break;
      case LtlOp::weak_until:
        value = until(i, left, right, true);
        break;
      case LtlOp::release:
        value = until(i, right, both, true);
        break;
      case LtlOp::strong_release:
        value = until(i, right, both, false);
        break;
    }
    result[i] = value;
  }
  return result;
}

inline bool holds(const LtlPool& pool, Ltl f, const Lasso& lasso, const std::vector<std::string>& names) {
  return truth(pool, f, lasso, names)[0];
}

/// The automaton accepts the lasso: in the graph of (state, position) pairs there is a reachable pair that
/// can come back to itself with all marks on the way, collected over everything between.
inline bool accepts(const Automaton& automaton, const Lasso& lasso, const std::vector<std::string>& names) {
  std::vector<std::uint64_t> letters = lasso.letters;  // in the automaton's order of atoms
  for (std::uint64_t& letter : letters) {
    std::uint64_t own = 0;
    for (std::size_t i = 0; i < automaton.atoms.size(); ++i)
      for (std::size_t j = 0; j < names.size(); ++j)
        if (names[j] == automaton.atoms[i] && ((letter >> j) & 1)) own |= std::uint64_t{1} << i;
    letter = own;
  }
  using Pair = std::pair<std::uint32_t, std::size_t>;
  struct Move {
    Pair to;
    std::uint32_t marks;
  };
  const auto moves = [&](const Pair& from) {
    std::vector<Move> result;
    for (const AutomatonEdge& edge : automaton.edges)
      if (edge.from == from.first && edge.label.matches(letters[from.second]))
        result.push_back({{edge.to, lasso.next(from.second)}, edge.marks});
    return result;
  };
  const auto reachable = [&](const Pair& from) {
    std::set<Pair> seen{from};
    std::vector<Pair> open{from};
    while (!open.empty()) {
      const Pair at = open.back();
      open.pop_back();
      for (const Move& move : moves(at))
        if (seen.insert(move.to).second) open.push_back(move.to);
    }
    return seen;
  };
  std::map<Pair, std::set<Pair>> reach;
  for (const Pair& pair : reachable({automaton.initial, 0})) reach[pair] = reachable(pair);
  for (const auto& [pair, targets] : reach) {
    std::uint32_t marks = 0;
    bool cycle = false;
    for (const Pair& inner : targets) {
      if (!reach[inner].contains(pair)) continue;
      for (const Move& move : moves(inner))
        if (reach[move.to].contains(pair)) {
          marks |= move.marks;
          cycle = true;
        }
    }
    if (cycle && marks == automaton.all_marks()) return true;
  }
  return false;
}

/// All lassos over `atoms` atoms with at most this prefix and period, in shortest form or not.
inline std::vector<Lasso> all_lassos(unsigned atoms, std::size_t max_prefix, std::size_t max_period) {
  std::vector<Lasso> result;
  const std::uint64_t letters = std::uint64_t{1} << atoms;
  for (std::size_t prefix = 0; prefix <= max_prefix; ++prefix)
    for (std::size_t period = 1; period <= max_period; ++period) {
      Lasso lasso{std::vector<std::uint64_t>(prefix + period, 0), prefix};
      for (bool more = true; more;) {
        result.push_back(lasso);
        more = false;
        for (std::uint64_t& letter : lasso.letters) {
          if (++letter < letters) {
            more = true;
            break;
          }
          letter = 0;
        }
      }
    }
  return result;
}

/// A random lasso over three atoms with prefix <= 3 and period <= 4.
inline Lasso random_lasso() {
  const auto prefix = *rc::gen::inRange<std::size_t>(0, 4);
  const auto period = *rc::gen::inRange<std::size_t>(1, 5);
  Lasso lasso{{}, prefix};
  for (std::size_t i = 0; i < prefix + period; ++i)
    lasso.letters.push_back(*rc::gen::inRange<std::uint64_t>(0, 8));
  return lasso;
}

/// A random formula with at most `size` operators over the names.
inline Ltl random_formula(LtlPool& pool, int size, const std::vector<std::string>& names) {
  if (size <= 0) {
    const auto choice = *rc::gen::inRange<std::size_t>(0, 10 * names.size() + 1);
    if (choice == 10 * names.size()) return pool.constant(*rc::gen::arbitrary<bool>());
    const Ltl atom = pool.atom(names[choice / 10]);
    return choice % 2 == 0 ? atom : pool.unary(LtlOp::not_, atom);
  }
  static constexpr std::array unary = {LtlOp::not_, LtlOp::next, LtlOp::eventually, LtlOp::always};
  static constexpr std::array binary = {LtlOp::and_,           LtlOp::or_,        LtlOp::implies,
                                        LtlOp::until,          LtlOp::release,    LtlOp::weak_until,
                                        LtlOp::strong_release, LtlOp::equivalent, LtlOp::exclusive_or};
  const auto choice = *rc::gen::inRange<std::size_t>(0, 2 * unary.size() + binary.size());
  if (choice < 2 * unary.size()) return pool.unary(unary[choice / 2], random_formula(pool, size - 1, names));
  const int left = *rc::gen::inRange(0, size);
  const Ltl first = random_formula(pool, left, names);
  return pool.binary(binary[choice - 2 * unary.size()], first, random_formula(pool, size - 1 - left, names));
}

}  // namespace tideline::testing
