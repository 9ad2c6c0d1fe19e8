// RemovalTimes: when states are removed by the elimination of owcty.hpp, and the ranks that these times are.
//
// Within a region of the automaton, time never falls along a transition, and it grows along those from accepting states:
// a state is removed when all that lead to it are, at a later time; or, together with others that are not accepting, when
// it cannot be reached from accepting states. Between SCCs of the automaton transitions lead one way only. So
//
//     rank = states of later SCCs have smaller ranks; in an SCC: its last time - the time of the state
//
// never grows along a transition and falls at accepting ones: this proves that there is no accepting cycle
// (docs/certificates.md). States outside all regions, which are never removed, all have the time 0: accepting states are
// not on cycles of the automaton there, so that they lead to other SCCs.
//
// A word of a state is its time, with a bit for those that are removed; before that, the time that it has at least; in the
// end, its rank.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "graph/regions.hpp"
#include "search/lassos/shared_search.hpp"
#include "store/state_collection.hpp"

namespace tideline {

/// Where the states of a product go with their ranks.
struct RanksWanted {
  StateCollection* collection = nullptr;  ///< nothing: they are not wanted
  Regions regions = {};                   ///< of the automaton
};

template <class G>
class RemovalTimes {
 public:
  /// Times are in this word of each state.
  RemovalTimes(SharedSearch<G>& search, unsigned word, const RanksWanted& wanted)
      : search_(search), word_(word), wanted_(wanted) {}

  explicit operator bool() const { return wanted_.collection != nullptr; }

  /// What is removed from now on is removed later than all before.
  void begin() { now_ = last_.load(std::memory_order_relaxed) + 1; }

  /// At the present time, unless it is removed already. By any thread; of a state, by one.
  void remove_now(StateId id) {
    const auto time = search_.word(id, word_);
    if ((time.load(std::memory_order_relaxed) & removed) != 0) return;
    time.store(now_ | removed, std::memory_order_relaxed);
    raise(last_, now_);
  }

  /// A transition from a state that is removed leads to another, which is not yet.
  void follow(StateId from, StateId to) {
    if (*this)
      raise(search_.word(to, word_),
            (search_.word(from, word_).load(std::memory_order_relaxed) & ~removed) + 1);
  }
  void remove(StateId id) {
    if (!*this) return;
    const auto time = search_.word(id, word_);
    const std::uint32_t own = std::max(time.load(std::memory_order_relaxed), now_);
    time.store(own | removed, std::memory_order_relaxed);
    raise(last_, own);
  }

  /// Makes ranks of the times, and hands over all states.
  void collect(Budget& budget) {
    if (!*this) return;
    std::vector<Span> spans(wanted_.regions.ranks + 1);
    search_.for_each_state(budget, [&](Worker&, StateId id) { raise(spans[scc_of(id)].last, time_of(id)); });
    std::uint64_t next = 0;  // from the last SCC to the first
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
      span->first_rank = next;
      next += std::uint64_t{span->last} + 1;
    }
    if (next > std::numeric_limits<std::uint32_t>::max())
      return wanted_.collection->fail("the ranks of states are too large");
    search_.for_each_state(budget, [&](Worker&, StateId id) {
      const Span& span = spans[scc_of(id)];
      search_.word(id, word_).store(static_cast<std::uint32_t>(span.first_rank + span.last - time_of(id)),
                                    std::memory_order_relaxed);
    });
    wanted_.collection->keep(search_.kept_states(word_));
    if (!budget.reason().empty()) wanted_.collection->fail(budget.reason());
  }

 private:
  using Worker = typename SharedSearch<G>::Worker;
  static constexpr std::uint32_t removed = std::uint32_t{1} << 31;

  /// Of an SCC of the automaton.
  struct Span {
    std::atomic<std::uint32_t> last = 0;
    std::uint64_t first_rank = 0;
  };

  template <class Word>
  static void raise(Word&& word, std::uint32_t value) {
    for (std::uint32_t old = word.load(std::memory_order_relaxed);
         old < value && !word.compare_exchange_weak(old, value, std::memory_order_relaxed);) {
    }
  }

  std::uint32_t time_of(StateId id) const {
    return search_.word(id, word_).load(std::memory_order_relaxed) & ~removed;
  }
  /// A state of a product ends with the location of the automaton.
  std::uint32_t scc_of(StateId id) const {
    std::uint16_t location = 0;
    std::memcpy(&location, search_.state(id) + search_.first_worker().graph.state_size() - sizeof location,
                sizeof location);
    return wanted_.regions.rank[location];
  }

  SharedSearch<G>& search_;
  unsigned word_;
  RanksWanted wanted_;
  std::uint32_t now_ = 0;
  std::atomic<std::uint32_t> last_ = 0;
};

}  // namespace tideline
