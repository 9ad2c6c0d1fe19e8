#include "logic/bdd.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tideline {

namespace {

constexpr std::uint32_t no_variable = std::numeric_limits<std::uint32_t>::max();

std::uint64_t pair_key(Bdd a, Bdd b) {
  return (std::uint64_t{a} << 32) | b;
}

std::uint64_t node_hash(std::uint32_t variable, Bdd low, Bdd high) {
  std::uint64_t hash = pair_key(low, high) ^ (std::uint64_t{variable} * 0xc2b2ae3d27d4eb4fu);
  hash *= 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

}  // namespace

BddManager::BddManager(std::size_t max_nodes)
    : max_nodes_(max_nodes),
      nodes_{{no_variable, 0, 0}, {no_variable, 1, 1}},
      index_(1024, 0),
      and_cache_(index_.size()),
      or_cache_(index_.size()),
      not_cache_(index_.size()) {}

BddManager::Remembered& BddManager::place(std::vector<Remembered>& cache, Bdd a, Bdd b) const {
  const std::uint64_t hash = pair_key(a, b) * 0x9e3779b97f4a7c15u;
  return cache[(hash >> 32) & (cache.size() - 1)];
}

void BddManager::grow_index() {
  index_.assign(index_.size() * 2, 0);
  const std::size_t mask = index_.size() - 1;
  for (Bdd a = 2; a < nodes_.size(); ++a) {
    std::size_t at = node_hash(nodes_[a].variable, nodes_[a].low, nodes_[a].high) & mask;
    while (index_[at] != 0) at = (at + 1) & mask;
    index_[at] = a;
  }
  for (auto* cache : {&and_cache_, &or_cache_, &not_cache_}) cache->assign(index_.size(), {});
}

Bdd BddManager::node(std::uint32_t variable, Bdd low, Bdd high) {
  if (low == high) return low;
  const std::size_t mask = index_.size() - 1;
  std::size_t at = node_hash(variable, low, high) & mask;
  for (; index_[at] != 0; at = (at + 1) & mask) {
    const Node& known = nodes_[index_[at]];
    if (known.variable == variable && known.low == low && known.high == high) return index_[at];
  }
  if (nodes_.size() >= max_nodes_) throw BddOverflow();
  const Bdd result = static_cast<Bdd>(nodes_.size());
  nodes_.push_back({variable, low, high});
  index_[at] = result;
  if (nodes_.size() * 2 > index_.size()) grow_index();
  return result;
}

Bdd BddManager::and_(Bdd a, Bdd b) {
  if (a == b || b == 1) return a;
  if (a == 1) return b;
  if (a == 0 || b == 0) return 0;
  if (a > b) std::swap(a, b);
  if (const Remembered& known = place(and_cache_, a, b); known.a == a && known.b == b) return known.result;
  const std::uint32_t variable = std::min(top(a), top(b));
  const auto [a_low, a_high] = top(a) == variable ? std::pair{low(a), high(a)} : std::pair{a, a};
  const auto [b_low, b_high] = top(b) == variable ? std::pair{low(b), high(b)} : std::pair{b, b};
  const Bdd when_false = and_(a_low, b_low);
  const Bdd result = node(variable, when_false, and_(a_high, b_high));
  place(and_cache_, a, b) = {a, b, result};
  return result;
}

Bdd BddManager::or_(Bdd a, Bdd b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (a == 1 || b == 1) return 1;
  if (a > b) std::swap(a, b);
  if (const Remembered& known = place(or_cache_, a, b); known.a == a && known.b == b) return known.result;
  const std::uint32_t variable = std::min(top(a), top(b));
  const auto [a_low, a_high] = top(a) == variable ? std::pair{low(a), high(a)} : std::pair{a, a};
  const auto [b_low, b_high] = top(b) == variable ? std::pair{low(b), high(b)} : std::pair{b, b};
  const Bdd when_false = or_(a_low, b_low);
  const Bdd result = node(variable, when_false, or_(a_high, b_high));
  place(or_cache_, a, b) = {a, b, result};
  return result;
}

Bdd BddManager::not_(Bdd a) {
  if (a < 2) return 1 - a;
  if (const Remembered& known = place(not_cache_, a, 0); known.a == a) return known.result;
  const Bdd when_false = not_(low(a));
  const Bdd result = node(top(a), when_false, not_(high(a)));
  place(not_cache_, a, 0) = {a, 0, result};
  return result;
}

Bdd BddManager::cube(const Cube& literals) {
  Bdd result = 1;
  for (std::uint32_t variable = 64; variable-- > 0;) {
    const std::uint64_t bit = std::uint64_t{1} << variable;
    if (literals.positive & bit) result = node(variable, 0, result);
    if (literals.negative & bit) result = (literals.positive & bit) ? 0 : node(variable, result, 0);
  }
  return result;
}

std::size_t BddManager::paths(Bdd a, std::size_t limit) const {
  std::size_t count = 0;
  std::vector<Bdd> open{a};
  while (!open.empty() && count <= limit) {
    const Bdd f = open.back();
    open.pop_back();
    if (f == 1) ++count;
    if (is_constant(f)) continue;
    open.push_back(high(f));
    open.push_back(low(f));
  }
  return count;
}

std::vector<Cube> BddManager::cubes(Bdd a) {
  constexpr std::size_t max_disjoint = 1000;
  if (paths(a, max_disjoint) > max_disjoint) return few_cubes(a);
  std::vector<Cube> result;
  std::vector<std::pair<Bdd, Cube>> open{{a, {}}};
  while (!open.empty()) {
    const auto [f, prefix] = open.back();
    open.pop_back();
    if (f == 0) continue;
    if (f == 1) {
      result.push_back(prefix);
      continue;
    }
    const std::uint64_t bit = std::uint64_t{1} << top(f);
    open.push_back({high(f), {prefix.positive | bit, prefix.negative}});
    open.push_back({low(f), {prefix.positive, prefix.negative | bit}});
  }
  return result;
}

std::vector<std::vector<BddLiteral>> BddManager::few_implicants(Bdd a, std::size_t limit) {
  Cover all{{}, {}, limit};
  cover(a, a, all);
  return std::move(all.found);
}

std::vector<Cube> BddManager::few_cubes(Bdd a) {
  constexpr std::size_t max_cubes = 100000;
  std::vector<Cube> result;
  for (const auto& implicant : few_implicants(a, max_cubes)) {
    Cube cube;
    for (const BddLiteral& literal : implicant)
      (literal.positive ? cube.positive : cube.negative) |= std::uint64_t{1} << literal.variable;
    result.push_back(cube);
  }
  return result;
}

/// Implicants of some function between `lower` and `upper`, and that function as the result.
Bdd BddManager::cover(Bdd lower, Bdd upper, Cover& all) {
  if (lower == 0) return 0;
  if (upper == 1) {
    if (all.found.size() >= all.limit) throw BddOverflow();
    all.found.push_back(all.prefix);
    return 1;
  }
  const std::uint32_t variable = std::min(top(lower), top(upper));
  const auto [l0, l1] = top(lower) == variable ? std::pair{low(lower), high(lower)} : std::pair{lower, lower};
  const auto [u0, u1] = top(upper) == variable ? std::pair{low(upper), high(upper)} : std::pair{upper, upper};
  all.prefix.push_back({variable, false});
  const Bdd f0 = cover(minus(l0, u1), u0, all);
  all.prefix.back().positive = true;
  const Bdd f1 = cover(minus(l1, u0), u1, all);
  all.prefix.pop_back();
  const Bdd rest = or_(minus(l0, f0), minus(l1, f1));
  const Bdd shared = cover(rest, and_(u0, u1), all);
  return or_(node(variable, f0, f1), shared);
}

}  // namespace tideline
