#include "symbolic/diagrams/sets.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace tideline::symbolic {

namespace {

/// visit(index, child of a, child of b) for every index at which one of them is not empty, ascending.
template <class Visit>
void merge_children(const Forest::View& a, const Forest::View& b, Visit&& visit) {
  if (!a.sparse && !b.sparse) {
    const std::uint32_t common = std::min(a.size, b.size);
    for (std::uint32_t i = 0; i < common; ++i) visit(i, a.words[i], b.words[i]);
    for (std::uint32_t i = common; i < a.size; ++i) visit(i, a.words[i], empty);
    for (std::uint32_t i = common; i < b.size; ++i) visit(i, empty, b.words[i]);
    return;
  }
  std::uint32_t x = 0, y = 0;
  while (x < a.size || y < b.size) {
    const Index i = x < a.size ? a.index(x) : ~Index{0};
    const Index j = y < b.size ? b.index(y) : ~Index{0};
    const Index least = std::min(i, j);
    visit(least, i == least ? a.child(x++) : empty, j == least ? b.child(y++) : empty);
  }
}

/// Whether the result is obvious from the operands; else they are put in the order of the key.
template <SetOperation Operation>
bool is_plain(NodeId& a, NodeId& b, NodeId& result) {
  if constexpr (Operation == op_unite) {
    result = a == empty ? b : a;
    if (a == b || a == empty || b == empty) return true;
  } else if constexpr (Operation == op_intersect) {
    result = a == b ? a : empty;
    if (a == b || a == empty || b == empty) return true;
  } else {
    result = a == b ? empty : a;
    if (a == b || a == empty || b == empty) return true;
  }
  if (Operation != op_subtract && a > b) std::swap(a, b);
  return false;
}

}  // namespace

template <SetOperation Operation>
NodeId Sets::combine(NodeId a, NodeId b) {
  Cache::Value result;
  if (is_plain<Operation>(a, b, result[0])) return result[0];
  const Cache::Key key{Operation, a, b};
  if (cache_.find(key, result)) return result[0];
  const Forest::View left = forest_.view(a), right = forest_.view(b);
  if (left.size + right.size > wide_node)
    merge_children(left, right, [&](Index, NodeId x, NodeId y) {
      if (NodeId ignored; !is_plain<Operation>(x, y, ignored)) cache_.prefetch({Operation, x, y});
    });
  Builder builder(forest_, left.size + right.size);
  merge_children(left, right, [&](Index i, NodeId x, NodeId y) { builder.add(i, combine<Operation>(x, y)); });
  result[0] = builder.make(forest_.level(a));
  cache_.insert(key, result);
  return result[0];
}

NodeId Sets::unite(NodeId a, NodeId b) {
  return combine<op_unite>(a, b);
}

NodeId Sets::intersect(NodeId a, NodeId b) {
  return combine<op_intersect>(a, b);
}

NodeId Sets::subtract(NodeId a, NodeId b) {
  return combine<op_subtract>(a, b);
}

bool Sets::contains(NodeId set, std::span<const Index> vector) const {
  for (const Index i : vector) {
    if (set == empty) return false;
    set = forest_.child(set, i);
  }
  return set != empty;
}

NodeId Sets::single(std::span<const std::uint32_t> levels, std::span<const Index> vector) {
  NodeId node = unit;
  for (std::size_t k = levels.size(); k-- > 0;) node = forest_.make_single(levels[k], vector[k], node);
  return node;
}

std::vector<Index> Sets::pick(NodeId set) const {
  std::vector<Index> vector;
  while (set != unit) {
    const Forest::View view = forest_.view(set);
    std::uint32_t entry = 0;
    while (view.child(entry) == empty) ++entry;
    vector.push_back(view.index(entry));
    set = view.child(entry);
  }
  return vector;
}

void Sets::for_each(NodeId set, const std::function<void(std::span<const Index>)>& visit) const {
  if (set == empty) return;
  struct Position {
    NodeId node;
    std::uint32_t entry;
  };
  std::vector<Position> path{{set, 0}};
  std::vector<Index> vector;
  while (!path.empty()) {
    const NodeId node = path.back().node;
    const std::uint32_t entry = path.back().entry++;
    if (node == unit) visit(vector);
    if (node == unit || entry == forest_.view(node).size) {
      path.pop_back();
      if (!vector.empty()) vector.pop_back();
      continue;
    }
    const Forest::View view = forest_.view(node);
    if (view.child(entry) == empty) continue;
    vector.push_back(view.index(entry));
    path.push_back({view.child(entry), 0});
  }
}

std::vector<std::vector<NodeId>> nodes_by_level(const Forest& forest, NodeId root) {
  std::vector<std::vector<NodeId>> levels;
  if (root <= unit) return levels;
  levels.push_back({root});
  for (;;) {
    std::unordered_set<NodeId> seen;
    std::vector<NodeId> next;
    for (const NodeId node : levels.back())
      forest.for_each_child(node, [&](Index, NodeId child) {
        if (child != unit && seen.insert(child).second) next.push_back(child);
      });
    if (next.empty()) return levels;
    levels.push_back(std::move(next));
  }
}

NodeId copy_set(const Forest& from, NodeId set, Forest& to) {
  if (set <= unit) return set;
  const auto levels = nodes_by_level(from, set);
  std::size_t count = 1;
  for (const auto& level : levels) count += level.size();
  // All copies stay in a frame, which keeps them alive; the first is the unit.
  const Frames::Frame copies(to.children(), count);
  copies[0] = unit;
  std::unordered_map<NodeId, std::size_t> place{{unit, 0}};
  place.reserve(count);
  for (std::size_t k = levels.size(); k-- > 0;)
    for (const NodeId node : levels[k]) {
      Builder builder(to, from.view(node).size);
      from.for_each_child(node, [&](Index i, NodeId child) { builder.add(i, copies[place.at(child)]); });
      const std::size_t next = place.size();
      copies[next] = builder.make(from.level(node));
      place.emplace(node, next);
    }
  return copies[place.at(set)];
}

mpz_class Sets::count(NodeId set) const {
  if (set <= unit) return set;
  // Only the counts of one level below are needed at a time: they can be numbers of thousands of digits.
  const auto levels = nodes_by_level(forest_, set);
  std::unordered_map<NodeId, mpz_class> below{{unit, 1}}, here;
  for (std::size_t k = levels.size(); k-- > 0;) {
    here.clear();
    for (const NodeId node : levels[k]) {
      mpz_class sum = 0;
      forest_.for_each_child(node, [&](Index, NodeId child) { sum += below.find(child)->second; });
      here.emplace(node, std::move(sum));
    }
    std::swap(below, here);
  }
  return below.find(set)->second;
}

}  // namespace tideline::symbolic
