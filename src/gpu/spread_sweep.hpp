// SpreadSweep: the states of a sweep on one device, or spread over several. Each has a part of them, which is a SweptSpace.
//
// A state belongs to the device that its hash says, which has it in its table and lists, and knows whether it is expanded.
// What a device finds that belongs to another one goes there (exchange.hpp), and is only then in the band, ahead or behind. The
// line is one for all of them: a band begins at the least progress that waits anywhere, and ends where it best does for the
// device with the least room. Should one of them have to split its band, or to cut layers into strips, the others do so, too,
// before anything else is expanded.
//
// Rounds. Within a band there are no levels. In a round every device expands what it has, until nothing is left or it has to
// stop. Then what they have found for each other is delivered, piece by piece, and the next round begins. The band is done
// after a round that leaves no device with a state to expand and no list with one to deliver: nothing is on its way then, as
// both only change in rounds and deliveries. The search ends when no device has a state that waits, for this sweep or the
// next; each state is expanded once at most, as its device sees to, so it does end.
//
// Runs. Every state but the initial ones was found from a state that was expanded before. On the same device that one has a
// lower number in the archive: in the log a state comes after the one that it was found from, and the archive has the logs
// of bands one after the other. On another device it was expanded in an earlier round, as states are delivered between rounds.
// So it is known of every device up to where its archive may have the predecessor (`marks_`: how far each had come after each
// round), and there a run is built backwards, the latest states first. For a predecessor these bounds are lower, on no device
// higher than those of its own round, so that no state comes again. With one device it is one pass over the archive, with
// several a piece of each more for a step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "gpu/exchange.hpp"
#include "gpu/swept_space.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/sweep/parts.hpp"

namespace tideline::gpu {

class SpreadSweep {
 public:
  /// Over options.device.cards devices. Throws as a workspace does. `look`: called with a part after every launch there that
  /// may have found something, for one at a time.
  SpreadSweep(const System& system, ErrorSemantics errors, const Watches& watches, const Measure& measure,
              const SweptSpace::Options& options, std::function<void(unsigned)> look);

  const std::vector<std::unique_ptr<SweptSpace>>& parts() const { return parts_; }

  /// Throws LimitReached, as all of these do.
  void insert(const std::vector<std::vector<std::byte>>& states);
  /// Goes on in the band until the host has something to do. Stop::complete: all of it is expanded.
  Stop expand();
  /// For parts that have none.
  void make_room();
  /// All of the band is expanded, or the search ends.
  void leave_band();
  /// False: there are no more states.
  bool next_band(Budget& budget);

  /// A step that breaks the measure's claim, if there was one.
  std::optional<RegressEdge> broken_claim();

  std::uint64_t rounds() const { return marks_.size(); }
  /// A run to a state that was found in the first so many rounds. Nothing may be inserted any more.
  Path run_to(const std::vector<std::byte>& state, std::uint64_t rounds, Budget& budget);

  /// The progress of the layer that it is at.
  std::uint64_t layer() const {
    const Search& numbers = parts_[0]->numbers();
    return numbers.line >> numbers.strip_bits;
  }
  std::uint64_t sweeps() const { return sweeps_; }
  std::uint64_t bands() const { return bands_; }
  template <class Figure>
  std::uint64_t sum(const Figure& figure) const {
    std::uint64_t sum = 0;
    for (const auto& part : parts_) sum += std::invoke(figure, *part);
    return sum;
  }
  std::uint64_t sum_of(std::uint64_t Search::*number) const {
    return sum([&](const SweptSpace& part) { return part.numbers().*number; });
  }
  std::uint64_t expanded() const { return sum(&SweptSpace::expanded); }

 private:
  using Bounds = std::vector<std::uint64_t>;  ///< by part: a number in its archive

  std::vector<std::unique_ptr<SweptSpace>> made(const System& system, ErrorSemantics errors,
                                                const Watches& watches, const Measure& measure,
                                                const SweptSpace::Options& options);
  std::optional<std::uint64_t> first_due() const;
  void keep_in_step();
  std::uint64_t round_of(std::size_t part, std::uint64_t number) const;
  Bounds bounds_after(std::uint64_t rounds) const;
  std::optional<Predecessor> latest_predecessor(const std::vector<std::byte>& state, Bounds& bounds,
                                                Budget& budget);

  const bool traces_;
  std::function<void(unsigned)> look_;
  std::mutex host_;  ///< what is not for several threads at a time: `look_`, and limits
  std::vector<std::unique_ptr<SweptSpace>> parts_;
  Exchange exchange_;
  std::vector<Stop> stops_;    ///< by part
  std::vector<Bounds> marks_;  ///< by round: how many states were expanded after it
  std::uint64_t sweeps_ = 1, bands_ = 0;
};

}  // namespace tideline::gpu
