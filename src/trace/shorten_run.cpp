#include "trace/shorten_run.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "trace/dependence.hpp"
#include "trace/slice.hpp"

namespace tideline {

namespace {

std::uint64_t hash_of(const Values& state) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::int32_t value : state)
    hash = (hash ^ static_cast<std::uint32_t>(value)) * 0x100000001b3 + (hash >> 29);
  return hash;
}

class Shortening {
 public:
  Shortening(const Claim& claim, const Trace& run, Effort& effort)
      : claim_(claim), retaker_(claim, run, effort), effort_(effort), run_(run), origin_(run.actions.size()) {
    std::iota(origin_.begin(), origin_.end(), 0);
  }

  DerivedRun run() {
    const std::size_t length = run_.actions.size();
    cut_repeated_states();
    cut_to_slice();
    for (std::size_t chunk = run_.actions.size() / 2; chunk > 1 && !retaker_.spent(); chunk /= 2)
      try_chunks(chunk);
    // One success may allow others.
    for (std::size_t before = 0; before != run_.actions.size() && !retaker_.spent();) {
      before = run_.actions.size();
      try_chunks(1);
    }
    if (run_.fails()) origin_.push_back(length);
    return {std::move(run_), std::move(origin_)};
  }

 private:
  using Keep = std::vector<bool>;

  /// For each of the first states, when the same state is visited for the last time.
  std::vector<std::size_t> last_visits(std::size_t count) const {
    std::unordered_multimap<std::uint64_t, std::size_t> known;  // by hash
    std::vector<std::size_t> last(count);
    for (std::size_t i = count; i-- > 0;) {
      const std::uint64_t hash = hash_of(run_.states[i]);
      const auto [first, end] = known.equal_range(hash);
      const auto same = std::find_if(
          first, end, [&](const auto& entry) { return run_.states[entry.second] == run_.states[i]; });
      last[i] = same != end ? same->second : i;
      if (same == end) known.emplace(hash, i);
    }
    return last;
  }

  /// Before the cycle.
  void cut_repeated_states() {
    const std::size_t count = run_.loop ? *run_.loop + 1 : run_.states.size();
    const std::vector<std::size_t> last = last_visits(count);
    Keep keep(run_.actions.size(), true);
    for (std::size_t i = 0; i < count; ++i)
      for (const std::size_t to = last[i]; i < to; ++i) keep[i] = false;
    attempt(keep, false);
  }

  void cut_to_slice() {
    for (bool shorter = true; shorter && !retaker_.spent();) {
      if (!effort_.spend(run_.states.size() * (2000 + 4 * run_.states.front().size()))) return;
      const auto uses = uses_of(claim_.system, claim_.errors, run_);
      Keep keep = needed_steps(run_, uses, goal_of(claim_.system, claim_.errors, claim_.property, run_));
      keep.resize(run_.actions.size());
      shorter = attempt(keep, false);
    }
  }

  /// From the end on: what is left out there disables little.
  void try_chunks(std::size_t chunk) {
    for (std::size_t end = run_.actions.size(); end != 0 && !retaker_.spent();) {
      const std::size_t first = end > chunk ? end - chunk : 0;
      Keep keep(run_.actions.size(), true);
      for (std::size_t i = first; i < end; ++i) keep[i] = false;
      attempt(keep, true);
      end = std::min(first, run_.actions.size());
    }
  }

  /// Takes the steps that are kept; `repair`: without those that are not enabled then. True: they are the run now.
  bool attempt(const Keep& keep, bool repair) {
    const auto gap = std::ranges::find(keep, false) - keep.begin();
    const auto first_gap = static_cast<std::size_t>(gap);
    if (first_gap == keep.size()) return false;
    const std::size_t end_of_gaps =
        keep.size() - static_cast<std::size_t>(std::find(keep.rbegin(), keep.rend(), false) - keep.rbegin());
    // Nothing changes before the first gap.
    Trace shorter;
    shorter.states.assign(run_.states.begin(), run_.states.begin() + gap + 1);
    shorter.actions.assign(run_.actions.begin(), run_.actions.begin() + gap);
    std::vector<std::size_t> origin(origin_.begin(), origin_.begin() + gap);
    if (run_.loop && *run_.loop < first_gap) shorter.loop = *run_.loop;
    for (std::size_t i = first_gap; i < keep.size(); ++i) {
      if (run_.loop == i) shorter.loop = shorter.actions.size();
      // Nor does anything once the run is back in a state that it had before.
      if (i >= end_of_gaps && shorter.states.back() == run_.states[i]) {
        if (run_.loop && *run_.loop > i) shorter.loop = shorter.actions.size() + (*run_.loop - i);
        append_rest(i, shorter, origin);
        break;
      }
      if (!keep[i]) continue;
      if (retaker_.take(run_.actions[i], shorter))
        origin.push_back(origin_[i]);
      else if (!repair || retaker_.spent())
        return false;
    }
    if (shorter.actions.size() >= run_.actions.size() || !retaker_.finish(shorter)) return false;
    run_ = std::move(shorter);
    origin_ = std::move(origin);
    return true;
  }

  /// All steps from the i-th on. The last one of a lasso leads back to a state that is appended, too.
  void append_rest(std::size_t i, Trace& to, std::vector<std::size_t>& origin) const {
    const auto from = static_cast<std::ptrdiff_t>(i);
    to.actions.insert(to.actions.end(), run_.actions.begin() + from, run_.actions.end());
    to.states.insert(to.states.end(), run_.states.begin() + from + 1, run_.states.end());
    origin.insert(origin.end(), origin_.begin() + from, origin_.end());
    if (run_.loop) to.states.push_back(run_.states[*run_.loop]);
  }

  const Claim& claim_;
  Retaker retaker_;
  Effort& effort_;
  Trace run_;
  std::vector<std::size_t> origin_;
};

}  // namespace

DerivedRun leave_out_steps(const Claim& claim, const Trace& run, Effort& effort) {
  return Shortening(claim, run, effort).run();
}

}  // namespace tideline
