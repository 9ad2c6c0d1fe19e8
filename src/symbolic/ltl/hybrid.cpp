#include "symbolic/ltl/hybrid.hpp"

#include <algorithm>
#include <limits>

namespace tideline::symbolic {

namespace {

/// SCCs that have an arc, of a graph given by its arcs: by node, their number from 1 on, or 0. After Tarjan,
/// with a stack of its own.
class SccSearch {
 public:
  explicit SccSearch(std::vector<std::pair<Index, Index>>& arcs) : arcs_(arcs) {
    std::ranges::sort(arcs);
    arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
    Index last = 0;
    for (const auto& [from, to] : arcs) last = std::max({last, from, to});
    order_.resize(last + 1);
    low_.resize(last + 1);
    scc_.resize(last + 1);
  }

  std::vector<std::uint32_t> run() {
    for (const auto& [from, to] : arcs_)
      if (order_[from] == 0) visit(from);
    for (std::uint32_t& number : scc_)
      if (number == trivial) number = 0;
    return std::move(scc_);
  }

 private:
  static constexpr std::uint32_t trivial = std::numeric_limits<std::uint32_t>::max();

  struct Visit {
    Index node;
    std::size_t arc;
  };

  std::size_t first_arc(Index node) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(arcs_, std::pair(node, Index{0})) -
                                    arcs_.begin());
  }

  void enter(Index node) {
    order_[node] = low_[node] = ++count_;
    open_.push_back(node);
    visits_.push_back({node, first_arc(node)});
  }

  void visit(Index root) {
    enter(root);
    while (!visits_.empty()) {
      const auto [node, arc] = visits_.back();
      if (arc == arcs_.size() || arcs_[arc].first != node) {
        leave(node);
        continue;
      }
      ++visits_.back().arc;
      const Index to = arcs_[arc].second;
      if (order_[to] == 0)
        enter(to);
      else if (scc_[to] == 0)
        low_[node] = std::min(low_[node], order_[to]);
    }
  }

  void leave(Index node) {
    visits_.pop_back();
    if (!visits_.empty()) {
      Index& low = low_[visits_.back().node];
      low = std::min(low, low_[node]);
    }
    if (low_[node] != order_[node]) return;
    const bool alone = open_.back() == node && !std::ranges::binary_search(arcs_, std::pair(node, node));
    const std::uint32_t number = alone ? trivial : ++sccs_;
    for (bool more = true; more;) {
      const Index member = open_.back();
      open_.pop_back();
      scc_[member] = number;
      more = member != node;
    }
  }

  const std::vector<std::pair<Index, Index>>& arcs_;
  std::vector<Index> order_, low_, open_;
  std::vector<std::uint32_t> scc_;
  std::vector<Visit> visits_;
  std::uint32_t count_ = 0;
  std::uint32_t sccs_ = 0;
};

bool same_scc(const std::vector<std::uint32_t>& sccs, Index a, Index b) {
  return a < sccs.size() && b < sccs.size() && sccs[a] != 0 && sccs[a] == sccs[b];
}

}  // namespace

/// The watch of saturation; see symbolic/space/saturation.hpp.
class HybridSearch::Watch {
 public:
  explicit Watch(HybridSearch& search) : search_(&search) {}

  void descend(Level level, Index i) { search_->context_[level] = i; }

  class Local {
   public:
    Local(Watch& watch, Level level, const Frames::Frame& children)
        : search_(*watch.search_),
          level_(level),
          children_(children),
          recurring_(search_.forest_.beside(2), search_.options_.recurring ? children.size() : 0) {
      search_.unfinished_.push_back({level, &children});
    }
    ~Local() { search_.unfinished_.pop_back(); }
    Local(const Local&) = delete;
    Local& operator=(const Local&) = delete;

    void fired(Index from, Index to, NodeId reached, NodeId known) {
      if (arcs_.empty() || arcs_.back() != AbstractArc(from, to)) arcs_.emplace_back(from, to);
      if (!search_.options_.recurring || known == empty) return;
      const Kept both(search_.forest_, search_.sets_.intersect(reached, known));
      if (both.id() == empty) return;
      if (to >= recurring_.size()) recurring_.grow(children_.size());
      recurring_[to] = search_.sets_.unite(recurring_[to], both.id());
    }

    void saturated(NodeId node) {
      const Kept recurring(search_.forest_,
                           search_.forest_.make(level_, {recurring_.data(), recurring_.size()}));
      search_.look_at(level_, node, arcs_, recurring.id());
    }

   private:
    HybridSearch& search_;
    Level level_;
    const Frames::Frame& children_;
    Frames::Frame recurring_;
    std::vector<AbstractArc> arcs_;
  };

 private:
  HybridSearch* search_;
};

bool HybridSearch::run(const std::function<void()>& found,
                       const std::function<void(const LassoPlace&)>& located) {
  found_ = found;
  located_ = located;
  try {
    Saturation<Direction::forward, false, Watch> saturation(relations_, Watch(*this));
    reached_ = forest_.root(saturation.saturate(space_.initial()));
    return false;
  } catch (const Stop&) {
    return true;
  }
}

void HybridSearch::look_at(Level level, NodeId node, std::vector<AbstractArc>& arcs, NodeId recurring) {
  ++figures_.nodes;
  if (arcs.empty() || space_.accepting(node) == empty) {
    ++figures_.without_transitions;
    return;
  }
  if (options_.recurring && recurring == empty) {
    ++figures_.without_recurring;
    return;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto sccs = candidates(node, arcs);
  Kept sure(forest_, empty), found(forest_, empty);
  const std::array<std::uint32_t, 2> key{1, node};
  std::array<NodeId, 1> ignored{};
  if (!sccs) {
    ++figures_.without_scc;
  } else if (decided_.find(key, ignored)) {
    ++figures_.known;
  } else {
    if (options_.abstraction) sure.set(sure_cycles(level, node, *sccs));
    if (sure.id() != empty) {
      ++figures_.by_must;
    } else {
      ++figures_.searches;
      found.set(detect(level, node, *sccs, recurring));
      if (found.id() == empty) decided_.insert(key, ignored);
    }
  }
  figures_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (sure.id() != empty) stop(node, sure.id());
  if (found.id() != empty) stop(node, found.id());
}

std::optional<HybridSearch::Sccs> HybridSearch::candidates(NodeId node, std::vector<AbstractArc>& arcs) {
  if (!options_.abstraction) return Sccs(forest_.view(node).end(), 1);
  Sccs sccs = SccSearch(arcs).run();
  std::vector<bool> accepting(sccs.size() + 1);
  forest_.for_each_child(node, [&](Index i, NodeId child) {
    if (i < sccs.size() && sccs[i] != 0 && space_.accepting(child) != empty) accepting[sccs[i]] = true;
  });
  bool any = false;
  for (std::uint32_t& number : sccs) {
    if (!accepting[number]) number = 0;
    any = any || number != 0;
  }
  if (!any) return std::nullopt;
  return sccs;
}

NodeId HybridSearch::sure_cycles(Level level, NodeId node, const Sccs& sccs) {
  std::vector<AbstractArc> arcs;
  for (Index i = 0; i < sccs.size(); ++i) {
    if (sccs[i] == 0) continue;
    for (const EventId event : relations_.events_at(level))
      relations_.for_each_arc<Direction::forward>(relations_.events()[event].root, i,
                                                  [&](Index to, RelationId rest) {
                                                    if (rest == relations_.choice() && same_scc(sccs, i, to))
                                                      arcs.emplace_back(i, to);
                                                  });
  }
  if (arcs.empty()) return empty;
  const Sccs sure = SccSearch(arcs).run();
  const Forest::View view = forest_.view(node);
  Builder builder(forest_, view.size);
  for (std::uint32_t e = 0; e < view.size; ++e)
    if (const Index i = view.index(e); view.child(e) != empty && i < sure.size() && sure[i] != 0)
      builder.add(i, space_.accepting_and_staying(view.child(e)));
  return builder.make(level);
}

NodeId HybridSearch::sources(Level level, NodeId node, const Sccs& sccs) {
  if (!options_.incremental) return cycles_.predecessors(node, node);
  const Forest::View view = forest_.view(node);
  Builder builder(forest_, view.size);
  for (std::uint32_t e = 0; e < view.size; ++e) {
    const Index from = view.index(e);
    if (view.child(e) == empty) continue;
    Kept sum(forest_, empty);
    for (const EventId event : relations_.events_at(level))
      relations_.for_each_arc<Direction::forward>(
          relations_.events()[event].root, from, [&](Index to, RelationId rest) {
            if (!same_scc(sccs, from, to)) return;
            // Within the node: what else may have such a successor was not reached.
            const Kept part(forest_, relations_.preimage(view.at(to), rest, view.child(e)));
            sum.set(sets_.unite(sum.id(), part.id()));
          });
    builder.add(from, sum.id());
  }
  return builder.make(level);
}

NodeId HybridSearch::targets(Level level, NodeId sources, const Sccs& sccs) {
  if (sources == empty) return empty;
  Kept sum(forest_, empty);
  if (!options_.incremental) {
    for (Level l = 1; l <= level; ++l)
      for (const EventId event : relations_.events_at(l)) {
        const Kept part(forest_, relations_.image(sources, relations_.events()[event].root));
        sum.set(sets_.unite(sum.id(), part.id()));
      }
    return sum.id();
  }
  const Forest::View view = forest_.view(sources);
  for (std::uint32_t e = 0; e < view.size; ++e)
    for (const EventId event : relations_.events_at(level))
      relations_.for_each_arc<Direction::forward>(
          relations_.events()[event].root, view.index(e), [&](Index to, RelationId rest) {
            if (view.child(e) == empty || !same_scc(sccs, view.index(e), to)) return;
            const Kept below(forest_, relations_.image(view.child(e), rest));
            const Kept part(forest_, forest_.make_single(level, to, below.id()));
            sum.set(sets_.unite(sum.id(), part.id()));
          });
  return sum.id();
}

NodeId HybridSearch::detect(Level level, NodeId node, const Sccs& sccs, NodeId recurring) {
  const auto cut = [&](Kept& set, NodeId from) {
    const Kept reached(forest_, closure_.saturate(from));
    set.set(sets_.intersect(set.id(), reached.id()));
  };
  Kept from(forest_, sources(level, node, sccs));
  Kept to(forest_, targets(level, from.id(), sccs));
  Kept again(forest_, recurring);
  Kept accepting(forest_, space_.accepting(node));
  for (;;) {
    const std::array before{from.id(), to.id(), again.id(), accepting.id()};
    if (options_.recurring) cut(again, to.id());
    cut(accepting, options_.recurring ? again.id() : to.id());
    cut(from, accepting.id());
    const Kept next(forest_, targets(level, from.id(), sccs));
    to.set(sets_.intersect(to.id(), next.id()));
    if (to.id() == empty) return empty;
    if (before == std::array{from.id(), to.id(), again.id(), accepting.id()}) break;
  }
  // The sets may have states after a cycle, too; the cycle lies before them.
  const Kept after(forest_, closure_.saturate(to.id()));
  return cycles_.backward(accepting.id(), after.id());
}

void HybridSearch::stop(NodeId node, NodeId region) {
  found_();
  if (located_) {
    const Kept hull(forest_, cycles_.hull(region));
    if (hull.id() == empty) throw Error(ErrorKind::internal, "a cycle in a decision diagram is missing");
    const Kept scc(forest_, cycles_.scc(hull.id()));
    const Kept whole(forest_, in_context(scc.id()));
    const Kept finished(forest_, in_context(node));
    Kept known(forest_, known_so_far());
    known.set(sets_.unite(known.id(), finished.id()));
    located_({.known = known.id(), .scc = whole.id()});
  }
  throw Stop{};
}

NodeId HybridSearch::in_context(NodeId node) {
  NodeId result = node;
  for (Level level = forest_.level(node) + 1; level <= space_.levels().top(); ++level)
    result = forest_.make_single(level, context_[level], result);
  return result;
}

NodeId HybridSearch::known_so_far() {
  Kept sum(forest_, empty);
  for (const auto& [level, children] : unfinished_) {
    const Kept node(forest_, forest_.make(level, {children->data(), children->size()}));
    if (node.id() == empty) continue;
    const Kept part(forest_, in_context(node.id()));
    sum.set(sets_.unite(sum.id(), part.id()));
  }
  return sum.id();
}

}  // namespace tideline::symbolic
