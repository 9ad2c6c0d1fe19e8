// Space: the states of a search on a device, and how runs to them are found again.
//
// The log on the device has the states in the order in which they were found, level after level. Nothing is kept about
// predecessors: for a run, some predecessor of its last state is looked for among the states of the level before, and so
// on. That takes no more time than the search did, and no memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/workspace.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"

namespace tideline::gpu {

/// The run to a state of a level, from predecessors of a level that somebody knows.
Path run_back(std::vector<std::byte> state, std::uint64_t level, Budget& budget,
              const std::function<std::optional<Predecessor>(const std::vector<std::byte>&, std::uint64_t)>&
                  predecessor);

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
  /// States that have been found here, and belong to another one.
  struct Mail {
    const Device* device;
    const Word* states;
    std::uint64_t count;
  };
  /// Some, from the first that it does not have yet.
  Mail mail(std::size_t to, std::uint64_t first) const;
  void receive(const Mail& mail);
  /// All of them have what this one has found.
  void clear_mail();
  /// A state of this level that leads to `state`, if there is one here.
  std::optional<Predecessor> predecessor(const std::vector<std::byte>& state, std::uint64_t level);

  const std::vector<std::uint64_t>& level_sizes() const { return level_sizes_so_far_; }
  std::uint64_t level_of(std::uint64_t number) const;
  /// The steps from this state were taken by the host.
  void note_given_up(std::uint64_t number) { stepped_here_[level_of(number)].push_back(number); }

  /// A shortest run to a state.
  Path run_to(std::uint64_t number, Budget& budget);

 private:
  bool grow_table();
  bool grow_log();
  DeviceMemory enlarged(std::uint64_t items, std::uint64_t bytes_each, std::uint64_t& larger_items);
  void begin_level(std::uint64_t size);
  void require_room(std::uint64_t count);
  void insert_from(const Word* source, std::uint64_t count);

 protected:
  DeviceMemory table_, log_, mail_;

 private:
  std::vector<std::uint64_t> level_sizes_so_far_, level_begins_;      ///< by level
  std::map<std::uint64_t, std::vector<std::uint64_t>> stepped_here_;  ///< by level
};

}  // namespace tideline::gpu
