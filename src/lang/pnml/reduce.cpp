// Reduction rules for places and single transitions; agglomerate.cpp has those that merge transitions.
//
// Each says what it does and why it preserves the answers. "Needs" of a transition at a place are the tokens
// that it consumes or tests there. Places that are observed are never removed, so nothing needs to be said
// about their values where a rule leaves the graph of markings unchanged, up to places that are determined by
// others or that nothing depends on.
#include "lang/pnml/reduce.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "lang/pnml/bounds.hpp"
#include "lang/pnml/reducible_net.hpp"

namespace tideline::pnml {

namespace {

constexpr std::uint64_t most_work = 200'000'000;
constexpr std::uint64_t invariant_work = 10'000'000;
constexpr int most_rounds = 1000;
/// One node is compared with at most this many others.
constexpr std::size_t most_compared = 32;
/// Places with more transitions are not compared one by one.
constexpr std::uint32_t most_neighbours = 256;

class Reduction {
 public:
  Reduction(const Net& net, const std::vector<bool>& observed, Keeps keeps)
      : net_(net, observed), keeps_(keeps), bounded_(net.places.size(), false) {
    use_invariants(net);
  }

  Reduced run() {
    bool again = true;
    for (int round = 0; again && round < most_rounds && net_.work < most_work; ++round) {
      again = dead_transitions();
      again |= irrelevant_nodes();
      again |= free_places();
      again |= parallel_places();
      again |= dominated_places();
      again |= useless_transitions();
      again |= dominated_transitions();
      again |= agglomerate(net_, keeps_, most_work, uses_);
    }
    Reduced result = net_.take();
    result.uses = uses_;
    return result;
  }

 private:
  void use(ReductionRule rule) { ++uses_[static_cast<std::size_t>(rule)]; }

  template <class Visit>
  void for_each_place(Visit&& visit) {
    for (PlaceId p = 0; p < net_.places(); ++p)
      if (net_.place_lives(p)) visit(p);
  }
  template <class Visit>
  void for_each_transition(Visit&& visit) {
    for (TransitionId t = 0; t < net_.transitions(); ++t)
      if (net_.lives(t)) visit(t);
  }
  template <class Visit>
  static void for_each_need(const Transition& t, Visit&& visit) {
    for (const Arc& a : t.consumes) visit(a);
    for (const Arc& a : t.tests) visit(a);
  }

  // --- dead transitions: those that are enabled in no reachable marking. Nothing is lost.

  void bury(TransitionId t) {
    net_.remove_transition(t);
    use(ReductionRule::dead_transition);
  }

  /// A transition is dead if a weighted sum of tokens that never grows would have to be larger than it is at
  /// first. Also finds out which places have a bound. Claims in the file are not used: they need not be true.
  void use_invariants(const Net& net) {
    const std::vector<SubInvariant> invariants = sub_invariants(net, invariant_work);
    std::vector<std::vector<std::pair<std::size_t, std::uint32_t>>> of_place(net.places.size());
    std::vector<std::uint64_t> at_first(invariants.size());
    for (std::size_t i = 0; i < invariants.size(); ++i) {
      for (const Arc& w : invariants[i].weights)
        at_first[i] = capped(at_first[i], w.weight, net.places[w.place].initial);
      if (at_first[i] == largest_sum) continue;
      for (const Arc& w : invariants[i].weights) {
        of_place[w.place].emplace_back(i, w.weight);
        bounded_[w.place] = true;
      }
    }
    std::unordered_map<std::size_t, std::uint64_t> needed;
    for (TransitionId t = 0; t < net.transitions.size() && net_.work < most_work; ++t) {
      needed.clear();
      for (const Arc& a : needs_of(net.transitions[t])) {
        net_.work += of_place[a.place].size();
        for (const auto& [i, weight] : of_place[a.place]) needed[i] = capped(needed[i], weight, a.weight);
      }
      if (std::ranges::any_of(needed, [&](const auto& n) { return n.second > at_first[n.first]; })) bury(t);
    }
  }

  static constexpr std::uint64_t largest_sum = std::uint64_t{1} << 62;
  static std::uint64_t capped(std::uint64_t sum, std::uint32_t weight, std::uint32_t tokens) {
    return std::min(largest_sum, sum + std::uint64_t{weight} * tokens);
  }

  /// A place gets tokens only from transitions that can be fired, and these need tokens in all places.
  bool dead_transitions() {
    std::vector<std::uint32_t> missing(net_.transitions());
    std::vector<std::vector<TransitionId>> needed_by(net_.places());
    std::vector<bool> marked(net_.places());
    std::vector<PlaceId> fresh;
    const auto mark = [&](PlaceId p) {
      if (!marked[p]) fresh.push_back(p);
      marked[p] = true;
    };
    const auto fire = [&](TransitionId t) {
      for (const Arc& a : net_[t].produces) mark(a.place);
    };
    for_each_place([&](PlaceId p) {
      if (net_.initial(p) != 0) mark(p);
    });
    for_each_transition([&](TransitionId t) {
      for_each_need(net_[t], [&](const Arc& a) {
        ++missing[t];
        needed_by[a.place].push_back(t);
      });
      if (missing[t] == 0) fire(t);
    });
    while (!fresh.empty()) {
      const PlaceId p = fresh.back();
      fresh.pop_back();
      for (const TransitionId t : needed_by[p])
        if (--missing[t] == 0) fire(t);
    }
    bool done = false;
    for_each_transition([&](TransitionId t) {
      if (missing[t] == 0) return;
      bury(t);
      done = true;
    });
    return done;
  }

  // --- irrelevant nodes, where only reachable values count: from the observed places back over all arcs that
  // change or restrict. What is not met this way can be left undone in every run.

  bool irrelevant_nodes() {
    if (!keeps_.states_only()) return false;
    std::vector<bool> relevant(net_.places()), fires(net_.transitions());
    std::vector<PlaceId> open;
    const auto meet = [&](PlaceId p) {
      if (!relevant[p]) open.push_back(p);
      relevant[p] = true;
    };
    for_each_place([&](PlaceId p) {
      if (net_.observed(p)) meet(p);
    });
    while (!open.empty()) {
      const PlaceId p = open.back();
      open.pop_back();
      net_.for_each_touching(p, [&](TransitionId t) {
        const bool changes = change_at(net_[t], p) != 0 || std::ranges::binary_search(net_[t].resets, p);
        if (fires[t] || !changes) return;
        fires[t] = true;
        for_each_need(net_[t], [&](const Arc& a) { meet(a.place); });
        for (const Arc& a : net_[t].inhibitors) meet(a.place);
      });
    }
    bool done = false;
    for_each_transition([&](TransitionId t) {
      if (fires[t]) return;
      net_.remove_transition(t);
      use(ReductionRule::irrelevant_node);
      done = true;
    });
    for_each_place([&](PlaceId p) {
      if (relevant[p]) return;
      net_.remove_place(p);
      use(ReductionRule::irrelevant_node);
      done = true;
    });
    net_.tidy();
    return done;
  }

  // --- free places: those whose tokens never hinder or allow anything.
  //
  // Where nothing takes more from a place than it gives back, and nothing resets it, it always has at least
  // its initial tokens; where nothing gives more than it takes, at most. Transitions that need more, or whose
  // inhibitors allow only less, are dead. When all others are always satisfied, the place can go. Where loops
  // must close again, a place that can only gain tokens must have a bound: then a loop gains none.

  struct PlaceUse {
    bool loses = false, gains = false, resets = false;
    std::uint32_t largest_need = 0;
    std::uint32_t smallest_inhibitor = ~std::uint32_t{0};
  };

  std::vector<PlaceUse> place_uses() {
    std::vector<PlaceUse> uses(net_.places());
    for_each_transition([&](TransitionId t) {
      const Transition& transition = net_[t];
      for_each_need(transition, [&](const Arc& a) {
        PlaceUse& use = uses[a.place];
        use.largest_need = std::max(use.largest_need, a.weight);
        use.loses |= change_at(transition, a.place) < 0;
      });
      for (const Arc& a : transition.produces) uses[a.place].gains |= change_at(transition, a.place) > 0;
      for (const Arc& a : transition.inhibitors)
        uses[a.place].smallest_inhibitor = std::min(uses[a.place].smallest_inhibitor, a.weight);
      for (const PlaceId p : transition.resets) uses[p].resets = true;
    });
    return uses;
  }

  bool free_places() {
    bool done = false;
    const std::vector<PlaceUse> uses = place_uses();
    for_each_place([&](PlaceId p) {
      const PlaceUse& use = uses[p];
      const std::uint32_t initial = net_.initial(p);
      const bool keeps_initial = !use.loses && !use.resets;
      const bool stays_below = !use.gains;
      if ((stays_below && use.largest_need > initial) || (keeps_initial && use.smallest_inhibitor <= initial))
        done |= bury_at(p, stays_below, keeps_initial);
      else if (!net_.observed(p) && use.largest_need <= (keeps_initial ? initial : 0) &&
               (use.smallest_inhibitor == ~std::uint32_t{0} ||
                (stays_below && use.smallest_inhibitor > initial)) &&
               (!use.gains || closes(p))) {
        net_.remove_place(p);
        this->use(ReductionRule::free_place);
        done = true;
      }
    });
    net_.tidy();
    return done;
  }

  /// Whether the place cannot gain tokens in a loop of the smaller net.
  bool closes(PlaceId p) const { return (!keeps_.runs && !keeps_.steps) || bounded_[p]; }

  bool bury_at(PlaceId p, bool stays_below, bool keeps_initial) {
    std::vector<TransitionId> dead;
    net_.for_each_touching(p, [&](TransitionId t) {
      const std::uint32_t inhibitor = weight_at(net_[t].inhibitors, p);
      if ((stays_below && need_at(net_[t], p) > net_.initial(p)) ||
          (keeps_initial && inhibitor != 0 && inhibitor <= net_.initial(p)))
        dead.push_back(t);
    });
    std::ranges::sort(dead);
    dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
    for (const TransitionId t : dead) bury(t);
    return !dead.empty();
  }

  // --- parallel places: all transitions move and need proportional numbers of tokens of two places.
  // In these proportions the difference of the two stays what it is, so that the one with more at
  // first never restricts.

  struct Use {
    TransitionId transition;
    std::uint32_t consumed, produced, tested;
    auto operator<=>(const Use&) const = default;
  };
  /// What transitions do with a place, divided by the largest common factor.
  struct Column {
    std::vector<Use> uses;
    std::uint32_t factor = 0;
  };

  Column column_of(PlaceId p) {
    Column column;
    std::vector<Use>& uses = column.uses;
    std::uint32_t& factor = column.factor;
    net_.for_each_touching(p, [&](TransitionId t) {
      uses.push_back(
          {t, weight_at(net_[t].consumes, p), weight_at(net_[t].produces, p), weight_at(net_[t].tests, p)});
    });
    std::ranges::sort(uses);
    uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    for (const Use& use : uses)
      factor = std::gcd(std::gcd(factor, use.tested), std::gcd(use.consumed, use.produced));
    for (Use& use : uses) {
      use.consumed /= factor;
      use.produced /= factor;
      use.tested /= factor;
    }
    return column;
  }

  static std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
    return (seed ^ value) * 0x9E3779B97F4A7C15ULL + (seed >> 29);
  }

  /// Calls visit(numbers) for those that have the same key, in a fixed order.
  template <class Visit>
  static void for_each_group(std::vector<std::pair<std::uint64_t, std::uint32_t>>& keyed, Visit&& visit) {
    std::ranges::sort(keyed);
    std::vector<std::uint32_t> group;
    for (std::size_t i = 0; i < keyed.size();) {
      group.clear();
      const std::uint64_t key = keyed[i].first;
      for (; i < keyed.size() && keyed[i].first == key; ++i) group.push_back(keyed[i].second);
      if (group.size() > 1) visit(group);
    }
  }

  bool parallel_places() {
    std::vector<std::pair<std::uint64_t, PlaceId>> keyed;
    for_each_place([&](PlaceId p) {
      if (!net_.is_plain(p) || net_.counts(p).producers + net_.counts(p).consumers == 0) return;
      std::uint64_t key = 0;
      for (const Use& use : column_of(p).uses)
        for (const std::uint32_t part : {use.transition, use.consumed, use.produced, use.tested})
          key = mixed(key, part);
      keyed.emplace_back(key, p);
    });
    bool done = false;
    for_each_group(keyed, [&](const std::vector<PlaceId>& group) { done |= parallel_places(group); });
    net_.tidy();
    return done;
  }

  /// For places whose columns are probably the same. The one with the fewest tokens at first stays, and those
  /// that are observed.
  bool parallel_places(const std::vector<PlaceId>& group) {
    PlaceId fewest = group.front();
    Column column = column_of(fewest);
    const auto fewer = [&](PlaceId p, std::uint32_t factor, PlaceId q, std::uint32_t other) {
      return std::uint64_t{net_.initial(p)} * other < std::uint64_t{net_.initial(q)} * factor;
    };
    bool done = false;
    for (std::size_t i = 1; i < group.size(); ++i) {
      PlaceId p = group[i];
      Column other = column_of(p);
      if (other.uses != column.uses) continue;
      const bool takes_over =
          fewer(p, other.factor, fewest, column.factor) ||
          (net_.observed(p) && !net_.observed(fewest) && !fewer(fewest, column.factor, p, other.factor));
      if (takes_over) {
        std::swap(p, fewest);
        std::swap(column, other);
      }
      if (net_.observed(p)) continue;
      net_.remove_place(p);
      use(ReductionRule::parallel_place);
      done = true;
    }
    return done;
  }

  // --- dominated places: another place never has more tokens, because it had no more at first and each
  // transition changes it by no more, and every transition that needs tokens of the place needs as many of
  // the other. So the place never restricts. In a loop it gains at least what the other gains, which is
  // nothing; with a bound, it gains nothing either.

  bool dominated_places() {
    bool done = false;
    for_each_place([&](PlaceId p) {
      if (net_.observed(p) || !net_.is_plain(p) || !closes(p) || net_.work > most_work) return;
      const ReducibleNet::Counts& counts = net_.counts(p);
      if (counts.consumers == 0 || counts.consumers + counts.tests > most_neighbours) return;
      // A dominating place is one that the consumer with the fewest inputs needs.
      const Transition* fewest = nullptr;
      net_.for_each_consumer(p, [&](TransitionId t) {
        if (!fewest || net_[t].consumes.size() < fewest->consumes.size()) fewest = &net_[t];
      });
      if (fewest->consumes.size() > most_compared) return;
      for (const Arc& a : fewest->consumes)
        if (a.place != p && net_.place_lives(a.place) && dominates(a.place, p)) {
          net_.remove_place(p);
          use(ReductionRule::dominated_place);
          done = true;
          return;
        }
    });
    net_.tidy();
    return done;
  }

  bool dominates(PlaceId q, PlaceId p) {
    if (net_.counts(q).producers > most_neighbours) return false;
    if (net_.initial(q) > net_.initial(p)) return false;
    bool does = true;
    const auto look_at = [&](TransitionId t) {
      does = does && need_at(net_[t], p) <= need_at(net_[t], q) &&
             change_at(net_[t], p) >= change_at(net_[t], q);
    };
    net_.for_each_touching(p, look_at);
    net_.for_each_producer(q, look_at);
    return does;
  }

  // --- useless transitions.
  //
  // Where only reachable values count: one that takes tokens of places that are neither observed nor
  // inhibited, and gives nothing. Left out of a run, others have more tokens, which disables none of them.
  // Where deadlocks count, but not runs: one that changes nothing, when another is enabled wherever it is.

  bool useless_transitions() {
    if (keeps_.runs || keeps_.steps) return false;
    bool done = false;
    for_each_transition([&](TransitionId t) {
      if (!(keeps_.deadlocks ? changes_nothing(net_[t]) && is_covered(t) : only_takes(net_[t]))) return;
      net_.remove_transition(t);
      use(ReductionRule::useless_transition);
      done = true;
    });
    return done;
  }

  static bool changes_nothing(const Transition& t) { return t.resets.empty() && t.consumes == t.produces; }

  bool only_takes(const Transition& t) const {
    const auto unseen = [&](PlaceId p) { return !net_.observed(p) && net_.counts(p).inhibitors == 0; };
    return std::ranges::all_of(t.resets, unseen) &&
           std::ranges::all_of(t.produces, [&](const Arc& a) { return change_at(t, a.place) <= 0; }) &&
           std::ranges::all_of(t.consumes,
                               [&](const Arc& a) { return change_at(t, a.place) == 0 || unseen(a.place); });
  }

  /// Whether another transition is enabled wherever this one is.
  bool is_covered(TransitionId t) {
    bool covered = false;
    for (const Arc& a : net_[t].consumes) {
      if (net_.counts(a.place).consumers > most_neighbours || net_.work > most_work) continue;
      net_.for_each_consumer(a.place, [&](TransitionId other) {
        covered = covered || (other != t && is_weaker(net_[other], net_[t]));
      });
      if (covered) return true;
    }
    return false;
  }

  /// Whether t is enabled wherever u is.
  static bool is_weaker(const Transition& t, const Transition& u) {
    const auto needed = [&](const Arc& a) { return a.weight <= need_at(u, a.place); };
    return std::ranges::all_of(t.consumes, needed) && std::ranges::all_of(t.tests, needed) &&
           std::ranges::all_of(t.inhibitors, [&](const Arc& a) {
             const std::uint32_t weight = weight_at(u.inhibitors, a.place);
             return weight != 0 && weight <= a.weight;
           });
  }

  // --- dominated transitions: another one has the same effect and is enabled wherever this one is. The graph
  // of markings does not change.

  struct Effect {
    PlaceId place;
    bool resets;
    std::int64_t value;  ///< what is there afterwards, or by how much it changes
    bool operator==(const Effect&) const = default;
  };

  static std::vector<Effect> effect_of(const Transition& t) {
    std::vector<Effect> effect;
    for (const PlaceId p : t.resets) effect.push_back({p, true, weight_at(t.produces, p)});
    const auto change = [&](PlaceId p, std::int64_t by) {
      if (by != 0 && !std::ranges::binary_search(t.resets, p)) effect.push_back({p, false, by});
    };
    for (const Arc& a : t.consumes) change(a.place, change_at(t, a.place));
    for (const Arc& a : t.produces)
      if (weight_at(t.consumes, a.place) == 0) change(a.place, a.weight);
    std::ranges::sort(effect, {}, &Effect::place);
    return effect;
  }

  bool dominated_transitions() {
    std::vector<std::pair<std::uint64_t, TransitionId>> keyed;
    for_each_transition([&](TransitionId t) {
      std::uint64_t key = 0;
      for (const Effect& effect : effect_of(net_[t]))
        key = mixed(mixed(key, 2 * effect.place + (effect.resets ? 1 : 0)),
                    static_cast<std::uint64_t>(effect.value));
      keyed.emplace_back(key, t);
    });
    bool done = false;
    for_each_group(keyed, [&](std::vector<TransitionId>& group) { done |= dominated_transitions(group); });
    return done;
  }

  /// For transitions whose effects are probably the same. Those with the fewest conditions come first.
  bool dominated_transitions(std::vector<TransitionId>& group) {
    std::ranges::stable_sort(group, {},
                             [&](TransitionId t) { return std::pair(arcs_of(net_[t]), net_.length(t)); });
    std::vector<TransitionId> stay;
    bool done = false;
    for (const TransitionId t : group) {
      const std::vector<Effect> effect = effect_of(net_[t]);
      const bool dominated = std::ranges::any_of(stay, [&](TransitionId other) {
        return is_weaker(net_[other], net_[t]) && effect_of(net_[other]) == effect;
      });
      if (dominated) {
        net_.remove_transition(t);
        use(ReductionRule::dominated_transition);
        done = true;
      } else if (stay.size() < most_compared) {
        stay.push_back(t);
      }
    }
    return done;
  }

  ReducibleNet net_;
  Keeps keeps_;
  std::vector<bool> bounded_;  ///< by an invariant of the given net
  RuleUses uses_ = {};
};

}  // namespace

std::string_view to_string(ReductionRule rule) {
  constexpr std::string_view names[reduction_rules] = {
      "dead transition", "irrelevant node", "useless transition", "dominated transition", "free place",
      "parallel place",  "dominated place", "post-agglomeration", "pre-agglomeration"};
  return names[static_cast<std::size_t>(rule)];
}

Reduced reduce(const Net& net, const std::vector<bool>& observed, Keeps keeps) {
  return Reduction(net, observed, keeps).run();
}

}  // namespace tideline::pnml
