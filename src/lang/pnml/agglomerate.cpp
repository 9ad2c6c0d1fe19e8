// Agglomeration: a place between transitions is removed, and what puts tokens there is fired together with
// what takes them away. It saves all the interleavings of what happens in between.
//
// Let H be the transitions that produce tokens of the place p, F those that consume them. p is not observed,
// there are no tests, inhibitors or resets at p, and no transition is in both H and F. Let all of F (all of
// H) move the same number w of tokens; where H and F have several transitions all move w, where F (H) has
// one, the others move multiples of w. A transition h f of the smaller net fires h and then f, as often as it
// takes to balance p. It can be fired wherever the smaller net has it enabled, for the conditions below.
//
// Post-agglomeration: F follows H at once.
//   Each f takes tokens of p only, tests nothing, resets nothing, and gives only to places that are not
//   observed and that no transition inhibits or resets. In any run of the given net the i-th f can be moved
//   to just after the h whose tokens it took: all that f needs is there, no transition is disabled by its
//   tokens coming earlier, and observed places do not see f. For tokens of p that are never taken, some f is
//   added, which is not seen either. So observed values are kept along every run. Infinite runs stay
//   infinite: f's alone cannot go on for ever. In a deadlock p is empty, for f needs nothing else, and as h f
//   is enabled when h is, deadlocks are the same in both nets. Where p has tokens at first, they are taken by
//   the only f before all runs.
//
// Pre-agglomeration: H waits until F is due.
//   Each h gives to p only, tests nothing, resets nothing, and takes something, from places that are not
//   observed and that no transition tests, inhibits or resets. p has less than w tokens at first. In any run
//   of the given net an h can be moved to just before the f that takes its tokens: its own tokens wait
//   longer, which disables nothing, and observed places do not see h. An h whose tokens are never taken is
//   left out. Infinite runs stay infinite: h's alone cannot go on for ever. For reachable values this is
//   all. Where deadlocks count, also of runs, only H may take tokens from the places before H. Then a
//   deadlock of the given net, less the h's that no f followed, is one of the smaller net: others do not see
//   the tokens that are given back, and an f that lacked something else still does. And from a deadlock of
//   the smaller net firing h's, as long as there are some to fire, leads to a deadlock of the given net: an
//   f that became enabled would have made h f enabled before. The h's can be fired one after the other, for
//   no h enables another.
#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "lang/pnml/reducible_net.hpp"

namespace tideline::pnml {

namespace {

/// Transitions and arcs may become a few more than they were.
bool worth_it(std::size_t givers, std::size_t takers) {
  return givers * takers <= std::max<std::size_t>(givers + takers, 6);
}
std::size_t most_arcs(std::size_t before) {
  return 2 * before + 16;
}

class Agglomeration {
 public:
  Agglomeration(ReducibleNet& net, Keeps keeps, std::uint64_t most_work, RuleUses& uses)
      : net_(net), deadlocks_(keeps.deadlocks || keeps.runs), most_work_(most_work), uses_(uses) {}

  bool run() {
    waits_.assign(net_.places(), false);
    std::vector<PlaceId> order(net_.places());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](PlaceId p) {  // many transitions are better joined once
      return std::uint64_t{net_.counts(p).producers} * net_.counts(p).consumers;
    });
    for (const PlaceId p : order) wait(p);
    bool done = false;
    while (!waiting_.empty() && net_.work < most_work_) {
      const PlaceId p = waiting_.front();
      waiting_.pop_front();
      waits_[p] = false;
      done |= net_.place_lives(p) && agglomerate_at(p);
    }
    return done;
  }

 private:
  using Transitions = std::vector<TransitionId>;

  void wait(PlaceId p) {
    if (waits_[p]) return;
    waits_[p] = true;
    waiting_.push_back(p);
  }

  bool agglomerate_at(PlaceId p) {
    const ReducibleNet::Counts& counts = net_.counts(p);
    if (net_.observed(p) || counts.tests != 0 || !net_.is_plain(p)) return false;
    if (counts.producers == 0 || counts.consumers == 0) return false;
    if (!worth_it(counts.producers, counts.consumers)) return false;
    const Transitions givers = net_.producers(p);
    const Transitions takers = net_.consumers(p);
    if (std::ranges::any_of(givers, [&](TransitionId t) { return weight_at(net_[t].consumes, p) != 0; }))
      return false;
    const bool post = takers_follow(p, givers, takers);
    if (!post && !givers_wait(p, givers, takers)) return false;
    if (!replace(p, givers, takers, post)) return false;
    ++uses_[static_cast<std::size_t>(post ? ReductionRule::post_agglomeration
                                          : ReductionRule::pre_agglomeration)];
    return true;
  }

  static bool only_moves(const Transition& t) {
    return t.tests.empty() && t.inhibitors.empty() && t.resets.empty();
  }

  bool takers_follow(PlaceId p, const Transitions& givers, const Transitions& takers) {
    const std::uint32_t weight = weight_at(net_[takers.front()].consumes, p);
    if (takers.size() > 1 && net_.initial(p) >= weight) return false;
    const auto follows = [&](TransitionId f) {
      const Transition& t = net_[f];
      return t.consumes.size() == 1 && t.consumes.front().weight == weight && only_moves(t) &&
             std::ranges::all_of(
                 t.produces, [&](const Arc& a) { return !net_.observed(a.place) && net_.is_plain(a.place); });
    };
    return std::ranges::all_of(takers, follows) && std::ranges::all_of(givers, [&](TransitionId h) {
             return balances(weight_at(net_[h].produces, p), weight, takers.size());
           });
  }

  bool givers_wait(PlaceId p, const Transitions& givers, const Transitions& takers) {
    const std::uint32_t weight = weight_at(net_[givers.front()].produces, p);
    if (net_.initial(p) >= weight) return false;
    const auto waits = [&](TransitionId h) {
      const Transition& t = net_[h];
      return t.produces.size() == 1 && t.produces.front().weight == weight && only_moves(t) &&
             !t.consumes.empty() && std::ranges::all_of(t.consumes, [&](const Arc& a) {
               return !net_.observed(a.place) && net_.is_plain(a.place) && net_.counts(a.place).tests == 0 &&
                      (!deadlocks_ || only_these_consume(a.place, givers));
             });
    };
    return std::ranges::all_of(givers, waits) && std::ranges::all_of(takers, [&](TransitionId f) {
             return balances(weight_at(net_[f].consumes, p), weight, givers.size());
           });
  }

  static bool balances(std::uint32_t moved, std::uint32_t weight, std::size_t others) {
    return others == 1 ? moved % weight == 0 : moved == weight;
  }

  /// `transitions` is sorted.
  bool only_these_consume(PlaceId p, const Transitions& transitions) {
    if (net_.counts(p).consumers > transitions.size()) return false;
    bool only = true;
    net_.for_each_consumer(p, [&](TransitionId t) { only &= std::ranges::binary_search(transitions, t); });
    return only;
  }

  /// Adds `times` times the arcs, but for one place. False: there would be too many tokens.
  static bool add_arcs(std::vector<Arc>& to, const std::vector<Arc>& from, std::uint32_t times, PlaceId but) {
    for (const Arc& a : from) {
      if (a.place == but) continue;
      const std::uint64_t weight = std::uint64_t{a.weight} * times;
      if (weight > static_cast<std::uint64_t>(most_tokens)) return false;
      to.push_back({a.place, static_cast<std::uint32_t>(weight)});
    }
    return true;
  }

  /// It is visible only in the smaller net.
  static std::string label(const std::string& first, const std::string& second) {
    constexpr std::size_t longest = 100;
    const std::string both = first + "+" + second;
    return both.size() <= longest ? both : both.substr(0, longest - 3) + "...";
  }

  struct Joined {
    Transition transition;
    Reduced::Sequence sequence;
  };

  std::optional<Joined> join(PlaceId p, TransitionId giver, TransitionId taker, bool post) const {
    const Transition& h = net_[giver];
    const Transition& f = net_[taker];
    const std::uint32_t given = weight_at(h.produces, p), taken = weight_at(f.consumes, p);
    const Reduced::Sequence sequence{.first = giver,
                                     .first_times = post ? 1 : taken / given,
                                     .second = taker,
                                     .second_times = post ? given / taken : 1};
    if (net_.length(giver) * sequence.first_times + net_.length(taker) * sequence.second_times >
        longest_sequence)
      return std::nullopt;
    const Transition& guarded = post ? h : f;  // the other one has no conditions but its tokens
    Transition t{.id = label(h.id, f.id),
                 .tests = guarded.tests,
                 .inhibitors = guarded.inhibitors,
                 .resets = guarded.resets,
                 .where = h.where};
    const bool fits = add_arcs(t.consumes, h.consumes, sequence.first_times, p) &&
                      add_arcs(t.consumes, f.consumes, sequence.second_times, p) &&
                      add_arcs(t.produces, h.produces, sequence.first_times, p) &&
                      add_arcs(t.produces, f.produces, sequence.second_times, p);
    if (!fits || !normalise(t)) return std::nullopt;
    return Joined{std::move(t), sequence};
  }

  bool replace(PlaceId p, const Transitions& givers, const Transitions& takers, bool post) {
    std::size_t before = 0, after = 0;
    for (const auto* list : {&givers, &takers})
      for (const TransitionId t : *list) before += arcs_of(net_[t]);
    std::vector<Joined> joined;
    for (const TransitionId h : givers)
      for (const TransitionId f : takers) {
        auto pair = join(p, h, f, post);
        if (!pair) return false;
        after += arcs_of(pair->transition);
        if (after > most_arcs(before)) return false;
        joined.push_back(std::move(*pair));
      }
    if (post && net_.initial(p) >= net_[takers.front()].consumes.front().weight &&
        !net_.fire_at_start(takers.front(), p))
      return false;
    if (!post)
      for (const TransitionId h : givers) net_.let_wait(h);
    for (const auto* list : {&givers, &takers})
      for (const TransitionId t : *list) net_.remove_transition(t);
    for (Joined& pair : joined) {
      for (const auto* arcs : {&pair.transition.consumes, &pair.transition.produces})
        for (const Arc& a : *arcs) wait(a.place);
      net_.add_transition(std::move(pair.transition), pair.sequence);
    }
    net_.remove_place(p);
    return true;
  }

  ReducibleNet& net_;
  bool deadlocks_;
  std::uint64_t most_work_;
  RuleUses& uses_;
  std::deque<PlaceId> waiting_;
  std::vector<bool> waits_;
};

}  // namespace

bool agglomerate(ReducibleNet& net, Keeps keeps, std::uint64_t most_work, RuleUses& uses) {
  if (keeps.steps) return false;
  const bool done = Agglomeration(net, keeps, most_work, uses).run();
  net.tidy();
  return done;
}

}  // namespace tideline::pnml
