// Space: the states of a search on a device, and how runs to them are found again.
//
// The log on the device has the states in the order in which they were found, level after level. Nothing is kept about
// predecessors: for a run, some predecessor of its last state is looked for among the states of the level before, and so
// on. That takes no more time than the search did, and no memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/workspace.hpp"

namespace tideline::gpu {

class Space : public Workspace {
 public:
  struct Options {
    DeviceSettings device = {};
    unsigned threads = 1;
    bool keeps_log = false;  ///< runs may be wanted
    std::uint64_t depth = 0;
    bool shows_ends = false;  ///< all states without successors, which are then not counted
    std::optional<Measure> measure =
        {};            ///< for a kernel that knows the progress of states; any is in the space
    unsigned own = 0;  ///< the number among options.device.cards
  };

  /// Throws as a workspace does.
  Space(const System& system, ErrorSemantics errors, Watches watches, const Options& options);

  std::uint64_t bytes() const override;
  std::uint64_t table_bytes() const { return table_.bytes(); }

  void insert(const std::vector<std::vector<std::byte>>& states);
  /// What is in the log is the first level.
  void begin();
  /// Goes on until the host has something to do.
  void expand();
  /// After Stop::table or Stop::log. False: the memory of the device is full.
  bool make_room(Stop stop);

  // Of several cards (spread_space.hpp), after Stop::level:
  void next_level();
  void receive(const Mail& mail) override;
  /// A state that leads to `state`, and its number, if there is one here in these levels.
  std::optional<Predecessor> predecessor(const std::vector<std::byte>& state, std::uint64_t first_level,
                                         std::uint64_t end_level, std::uint64_t& number);

  const std::vector<std::uint64_t>& level_sizes() const { return levels_.sizes; }
  std::uint64_t level_of(std::uint64_t number) const;
  /// The steps from this state were taken by the host.
  void note_given_up(std::uint64_t number) { levels_.stepped_here[level_of(number)].push_back(number); }

 private:
  bool grow_table();
  bool grow_log();
  DeviceMemory enlarged(std::uint64_t items, std::uint64_t bytes_each, std::uint64_t& larger_items);
  void begin_level(std::uint64_t size);
  void require_room(std::uint64_t count);
  void insert_from(const Word* source, std::uint64_t count);

 protected:
  struct Levels {
    std::vector<std::uint64_t> sizes = {}, begins = {};                     ///< by level
    std::map<std::uint64_t, std::vector<std::uint64_t>> stepped_here = {};  ///< by level
  };

  DeviceMemory table_, log_;
  Levels levels_;  ///< of the log
};

}  // namespace tideline::gpu
