#include "lang/pnml/unbounded.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <unordered_set>
#include <utility>

namespace tideline::pnml {

namespace {

using Tokens = std::int64_t;
using Marking = std::vector<Tokens>;
using Sequence = std::vector<TransitionId>;

struct Change {
  PlaceId place = 0;
  Tokens by = 0;
};

Marking initial_marking(const Net& net) {
  Marking marking;
  marking.reserve(net.places.size());
  for (const Place& place : net.places) marking.push_back(place.initial);
  return marking;
}

bool is_enabled(const Transition& t, std::span<const Tokens> marking) {
  const auto enough = [&](const Arc& a) { return marking[a.place] >= a.weight; };
  return std::ranges::all_of(t.consumes, enough) && std::ranges::all_of(t.tests, enough) &&
         std::ranges::none_of(t.inhibitors, enough);
}

/// Fires an enabled transition; reports what changed to `on_change`. False: a place would have
/// too many tokens.
template <class OnChange>
bool fire(const Transition& t, std::span<Tokens> marking, const OnChange& on_change) {
  const auto change = [&](PlaceId place, Tokens by) {
    if (by == 0) return;
    marking[place] += by;
    on_change(Change{place, by});
  };
  for (const Arc& a : t.consumes) change(a.place, -Tokens{a.weight});
  for (const PlaceId place : t.resets) change(place, -marking[place]);
  for (const Arc& a : t.produces) change(a.place, a.weight);
  return std::ranges::all_of(t.produces, [&](const Arc& a) { return marking[a.place] <= most_tokens; });
}

/// False: one of them is not enabled.
bool fire_all(const Net& net, const Sequence& sequence, Marking& marking) {
  return std::ranges::all_of(sequence, [&](TransitionId t) {
    return is_enabled(net.transitions[t], marking) && fire(net.transitions[t], marking, [](Change) {});
  });
}

/// The hash of a marking is a sum of such numbers. Markings with the same hash are taken for the same: the
/// search may miss one of them, and what it finds is verified by firing anyway.
std::uint64_t mixed(PlaceId place) {
  std::uint64_t x = (std::uint64_t{place} + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// What a depth-first search tries first.
enum class Preference {
  recent,  ///< what uses the tokens that were produced last: it stays with one process
  order,   ///< a fixed order of all transitions
};

class PumpSearch {
 public:
  PumpSearch(const Net& net, std::uint64_t work) : net_(net), work_(work), ranks_(net.transitions.size()) {
    for (const Transition& t : net.transitions) arcs_ += t.consumes.size() + 1;
  }

  std::optional<Pump> run() {
    // Each gets a little first, then more.
    for (std::uint64_t turn = 1'000'000; spent_ < work_; turn *= 4) {
      std::iota(ranks_.begin(), ranks_.end(), 0);
      allow(turn);
      if (auto pump = breadth_first()) return pump;
      if (all_visited_) return std::nullopt;
      allow(turn);
      if (auto pump = depth_first(Preference::recent, no_limit)) return pump;
      allow(turn);
      if (auto pump = depth_first(Preference::order, no_limit)) return pump;
      allow(turn);
      if (auto pump = many_attempts()) return pump;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t no_limit = ~std::size_t{0};
  static constexpr std::size_t most_stored = 4'000'000;  // numbers of tokens

  void allow(std::uint64_t work) { allowed_ = std::min(work_, spent_ + work); }

  /// Many short searches, each of which favours other transitions.
  std::optional<Pump> many_attempts() {
    constexpr std::size_t most_steps = 1000;
    for (std::size_t attempt = 0; spent_ < allowed_; ++attempt) {
      std::ranges::shuffle(ranks_, random_);
      const Preference preference = attempt % 2 == 0 ? Preference::order : Preference::recent;
      if (auto pump = depth_first(preference, most_steps)) return pump;
    }
    return std::nullopt;
  }

  // --- breadth-first

  struct Node {
    std::uint32_t parent = 0;
    TransitionId by = 0;
    Tokens sum = 0;
  };

  std::optional<Pump> breadth_first() {
    const std::size_t places = net_.places.size();
    const std::size_t most_nodes = most_stored / places;
    Marking stored = initial_marking(net_);
    std::vector<Node> nodes{{.sum = std::accumulate(stored.begin(), stored.end(), Tokens{0})}};
    std::unordered_set<std::uint64_t> seen{hash_of(stored)};
    Marking next(places);
    for (std::uint32_t from = 0; from < nodes.size(); ++from) {
      spent_ += arcs_;
      for (TransitionId t = 0; t < net_.transitions.size(); ++t) {
        if (spent_ >= allowed_ || nodes.size() >= most_nodes) return std::nullopt;
        const auto marking = std::span(stored).subspan(from * places, places);
        if (!is_enabled(net_.transitions[t], marking)) continue;
        spent_ += places;
        std::ranges::copy(marking, next.begin());
        if (!fire(net_.transitions[t], next, [](Change) {}) || !seen.insert(hash_of(next)).second) continue;
        nodes.push_back({from, t, std::accumulate(next.begin(), next.end(), Tokens{0})});
        stored.insert(stored.end(), next.begin(), next.end());
        if (auto pump = covering_branch(nodes, stored)) return pump;
      }
    }
    all_visited_ = true;
    return std::nullopt;
  }

  /// Whether the last node has more tokens than one before it in its branch.
  std::optional<Pump> covering_branch(const std::vector<Node>& nodes, const Marking& stored) {
    const std::size_t places = net_.places.size();
    const auto marking = [&](std::size_t node) { return std::span(stored).subspan(node * places, places); };
    const auto last = static_cast<std::uint32_t>(nodes.size() - 1);
    for (std::uint32_t node = last; node != 0;) {
      node = nodes[node].parent;
      spent_ += 4;
      if (nodes[node].sum >= nodes[last].sum ||
          !std::ranges::equal(marking(node), marking(last), std::less_equal<>{}))
        continue;
      Sequence run;
      std::size_t length = 0;  // of the sequence
      for (std::uint32_t at = last; at != 0; at = nodes[at].parent) {
        run.push_back(nodes[at].by);
        if (at > node) ++length;
      }
      std::ranges::reverse(run);
      if (auto pump = proof(run, run.size() - length)) return pump;
    }
    return std::nullopt;
  }

  std::uint64_t hash_of(std::span<const Tokens> marking) const {
    std::uint64_t hash = 0;
    for (PlaceId p = 0; p < marking.size(); ++p) hash += mixed(p) * static_cast<std::uint64_t>(marking[p]);
    return hash;
  }

  // --- depth-first

  /// A step of the run that is being looked at.
  struct Step {
    TransitionId by = 0;
    std::size_t first_change = 0;            ///< in changes_
    std::vector<TransitionId> enabled = {};  ///< after it; those that are not tried yet, the next one last
  };

  /// Only the changes along one run are kept, so that large nets take little memory.
  std::optional<Pump> depth_first(Preference preference, std::size_t most_steps) {
    marking_ = initial_marking(net_);
    hash_ = hash_of(marking_);
    produced_.assign(net_.places.size(), 0);
    difference_.assign(net_.places.size(), 0);
    changes_.clear();
    seen_ = {hash_};
    steps_.clear();
    steps_.push_back({.enabled = enabled_now(preference)});
    while (!steps_.empty() && spent_ < allowed_ && seen_.size() < most_steps) {
      if (steps_.back().enabled.empty()) {
        take_back();
        continue;
      }
      const TransitionId t = steps_.back().enabled.back();
      steps_.back().enabled.pop_back();
      if (!step(t) || !seen_.insert(hash_).second) {
        take_back();
        continue;
      }
      if (auto pump = covering_step()) return pump;
      steps_.back().enabled = enabled_now(preference);
    }
    return std::nullopt;
  }

  std::vector<TransitionId> enabled_now(Preference preference) {
    std::vector<TransitionId> enabled;
    for (const TransitionId t : ranks_)
      if (is_enabled(net_.transitions[t], marking_)) enabled.push_back(t);
    spent_ += arcs_;
    if (preference == Preference::recent) {
      const auto newest = [&](TransitionId t) {
        std::uint64_t when = 0;
        for (const Arc& a : net_.transitions[t].consumes) when = std::max(when, produced_[a.place]);
        return when;
      };
      std::ranges::stable_sort(enabled, {}, newest);
    } else {
      std::ranges::reverse(enabled);
    }
    return enabled;
  }

  bool step(TransitionId t) {
    steps_.push_back({.by = t, .first_change = changes_.size()});
    const bool fits = fire(net_.transitions[t], marking_, [&](Change change) {
      changes_.push_back(change);
      hash_ += mixed(change.place) * static_cast<std::uint64_t>(change.by);
      if (change.by > 0) produced_[change.place] = steps_.size();
    });
    spent_ += 1 + changes_.size() - steps_.back().first_change;
    return fits;
  }

  void take_back() {
    for (std::size_t c = changes_.size(); c-- > steps_.back().first_change;) {
      marking_[changes_[c].place] -= changes_[c].by;
      hash_ -= mixed(changes_[c].place) * static_cast<std::uint64_t>(changes_[c].by);
    }
    changes_.resize(steps_.back().first_change);
    steps_.pop_back();
  }

  /// Whether the last marking has more tokens than one before it. How far to look back: a run that is
  /// being repeated shows at each of its steps, so that most look at the last few only, and ever
  /// fewer look further.
  std::optional<Pump> covering_step() {
    const std::size_t last = steps_.size() - 1;
    const std::size_t reach = 64 * (last & (~last + 1));
    const std::size_t end = last > reach ? last - reach : 0;
    std::size_t fewer = 0, more = 0, change = changes_.size(), node = last;
    std::optional<Pump> pump;
    for (; node > end && !pump; --node) {
      while (change > steps_[node].first_change) {
        const auto [place, by] = changes_[--change];
        Tokens& difference = difference_[place];
        fewer -= difference < 0;
        more -= difference > 0;
        difference += by;
        fewer += difference < 0;
        more += difference > 0;
      }
      if (fewer == 0 && more != 0) pump = proof(current_run(), node - 1);
    }
    spent_ += changes_.size() - change;
    for (std::size_t c = change; c < changes_.size(); ++c) difference_[changes_[c].place] = 0;
    return pump;
  }

  Sequence current_run() const {
    Sequence run;
    for (std::size_t s = 1; s < steps_.size(); ++s) run.push_back(steps_[s].by);
    return run;
  }

  // --- what was found

  /// The proof, if the run can be repeated from its transition `first` on.
  std::optional<Pump> proof(const Sequence& run, std::size_t first) {
    spent_ += 8 * run.size() + 2 * net_.places.size();
    const auto middle = run.begin() + static_cast<std::ptrdiff_t>(first);
    auto pump = as_pump(net_, {run.begin(), middle}, {middle, run.end()});
    return pump ? std::optional(shortened(std::move(*pump))) : std::nullopt;
  }

  /// Drops transitions that are not needed: first many at once, then few. From the last to the first, as
  /// nothing that comes later needs the tokens of the last ones.
  Pump shortened(Pump pump) {
    std::uint64_t left = work_ / 2;
    const auto shorten = [&](Sequence Pump::*part) {
      for (std::size_t length = (pump.*part).size(); length != 0; length /= 2)
        for (std::size_t end = (pump.*part).size(); end >= length; end -= std::min(end, length)) {
          const std::uint64_t cost = 8 * (pump.prefix.size() + pump.sequence.size()) + 2 * net_.places.size();
          if (cost > left) return;
          left -= cost;
          Pump less = pump;
          const auto last = (less.*part).begin() + static_cast<std::ptrdiff_t>(end);
          (less.*part).erase(last - static_cast<std::ptrdiff_t>(length), last);
          if (auto proof = as_pump(net_, std::move(less.prefix), std::move(less.sequence)))
            pump = std::move(*proof);
          if (end == length) break;
        }
    };
    shorten(&Pump::sequence);
    if (auto proof = as_pump(net_, needed_prefix(pump), pump.sequence)) pump = std::move(*proof);
    shorten(&Pump::prefix);
    return pump;
  }

  /// The transitions of the prefix that produce tokens which the rest needs and does not have at first. It is
  /// not certain that they can be fired without the others.
  Sequence needed_prefix(const Pump& pump) const {
    std::vector<Tokens> needed(net_.places.size());
    const auto use = [&](const Transition& t) {
      for (const Arc& a : t.produces) needed[a.place] = std::max(Tokens{0}, needed[a.place] - a.weight);
      for (const Arc& a : t.consumes) needed[a.place] += a.weight;
      for (const Arc& a : t.tests) needed[a.place] = std::max(needed[a.place], Tokens{a.weight});
    };
    for (auto t = pump.sequence.rbegin(); t != pump.sequence.rend(); ++t) use(net_.transitions[*t]);
    Sequence prefix;
    for (auto t = pump.prefix.rbegin(); t != pump.prefix.rend(); ++t) {
      const Transition& transition = net_.transitions[*t];
      const auto helps = [&](const Arc& a) { return needed[a.place] > net_.places[a.place].initial; };
      if (std::ranges::none_of(transition.produces, helps)) continue;
      use(transition);
      prefix.push_back(*t);
    }
    std::ranges::reverse(prefix);
    return prefix;
  }

  const Net& net_;
  const std::uint64_t work_;
  std::uint64_t spent_ = 0, allowed_ = 0;
  std::uint64_t arcs_ = 0;
  bool all_visited_ = false;
  std::mt19937_64 random_{1};        ///< always the same seed, so that the answer is, too
  std::vector<TransitionId> ranks_;  ///< all transitions, the preferred ones first

  Marking marking_;
  std::uint64_t hash_ = 0;
  std::unordered_set<std::uint64_t> seen_;
  std::vector<Step> steps_;  ///< the first is the initial marking, not a step
  std::vector<Change> changes_;
  std::vector<std::uint64_t> produced_;  ///< by place: the step that put tokens there last
  Marking difference_;                   ///< scratch, zero between uses
};

}  // namespace

std::optional<Pump> as_pump(const Net& net, std::vector<TransitionId> prefix,
                            std::vector<TransitionId> sequence) {
  Marking before = initial_marking(net);
  if (!fire_all(net, prefix, before)) return std::nullopt;
  Marking after = before;
  if (!fire_all(net, sequence, after)) return std::nullopt;
  if (!std::ranges::equal(before, after, std::less_equal<>{})) return std::nullopt;
  std::vector<bool> emptied(net.places.size());
  for (const TransitionId t : sequence) {
    for (const Arc& a : net.transitions[t].inhibitors)
      if (before[a.place] != after[a.place]) return std::nullopt;
    for (const PlaceId place : net.transitions[t].resets) emptied[place] = true;
  }
  Pump pump{std::move(prefix), std::move(sequence), {}};
  for (PlaceId p = 0; p < net.places.size(); ++p)
    if (after[p] > before[p] && !emptied[p]) pump.grows.push_back(p);
  return pump.grows.empty() ? std::nullopt : std::optional(std::move(pump));
}

std::optional<Pump> find_pump(const Net& net, const System& system, std::uint64_t work) {
  if (std::ranges::none_of(system.slots, [](const Slot& slot) { return slot.range.high == most_tokens; }))
    return std::nullopt;
  return PumpSearch(net, work).run();
}

}  // namespace tideline::pnml
