// SpreadSpace: the states of a search on one device, or spread over several. Each has a part of them, which is a Space.
//
// A state belongs to the card that its hash says (card_of), which has it in its table and its log. All cards search the same
// level at the same time. What a card finds that belongs to another one goes there (exchange.hpp) when a list is full, or all
// cards are done with the level, and is looked up there. Only then does the next level begin. So levels are those of one
// card, and runs are shortest: the predecessor of a state is on some card, in the level before.
//
// Termination: nothing is on its way between two calls of expand() but what is in lists, so that the search is complete
// when all cards are done with a level, all lists are empty, and no card has a state of the next level.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/exchange.hpp"
#include "gpu/space.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"

namespace tideline::gpu {

/// A state: the part that has it, and its number there.
struct StatePlace {
  std::size_t part = 0;
  std::uint64_t number = 0;

  auto operator<=>(const StatePlace&) const = default;
};

class SpreadSpace {
 public:
  using MakePart = std::function<std::unique_ptr<Space>(const Space::Options& own)>;

  /// Over options.device.cards devices. Throws as a workspace does.
  SpreadSpace(const Space::Options& options, const MakePart& make);

  const std::vector<std::unique_ptr<Space>>& parts() const { return parts_; }

  void insert(const std::vector<std::vector<std::byte>>& states);
  /// What is there is the first level.
  void begin();
  /// Goes on until the host has something to do. Stop::complete and Stop::cut_off are of all parts, others of some.
  Stop expand();
  /// For those that have none. False: the memory of a device is full.
  bool make_room();

  std::uint64_t sum(std::uint64_t Search::*figure) const;
  std::uint64_t waiting() const { return sum(&Search::count) - sum(&Search::cursor); }
  std::uint64_t levels() const { return parts_[0]->numbers().levels; }
  /// That of the last one is still growing.
  std::vector<std::uint64_t> level_sizes() const;

  std::uint64_t level_of(const StatePlace& place) const { return parts_[place.part]->level_of(place.number); }
  /// Some state in these levels that leads to `state`, and its place.
  std::optional<Predecessor> predecessor(const std::vector<std::byte>& state, std::uint64_t first_level,
                                         std::uint64_t end_level, StatePlace& place);
  /// A shortest run to a state.
  Path run_to(const StatePlace& place, Budget& budget);

 private:
  Stop next_level();

  std::uint64_t depth_;
  std::vector<std::unique_ptr<Space>> parts_;
  Exchange exchange_;
  std::vector<Stop> stops_;  ///< by part
};

}  // namespace tideline::gpu
