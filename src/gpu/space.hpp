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
#include <string>
#include <vector>

#include "exec/machine.hpp"
#include "gpu/device.hpp"
#include "gpu/model_code.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/states/device.hpp"

namespace tideline::gpu {

class Space {
 public:
  struct Options {
    DeviceSettings device = {};
    unsigned threads = 1;
    bool keeps_log = false;  ///< runs may be wanted
    std::uint64_t depth = 0;
    bool shows_ends = false;  ///< all states without successors, which are then not counted
  };

  /// Throws Error (usage) where there is no such device, or it cannot search this model. Throws LimitReached where its
  /// memory is too small.
  Space(const System& system, ErrorSemantics errors, Watches watches, const Options& options);

  const Device& device() const { return *device_; }
  Machine& machine() { return machine_; }
  const ModelCode& code() const { return code_; }
  /// The numbers as they were after the last launch.
  const Search& numbers() const { return s_; }
  std::uint64_t bytes() const;
  std::uint64_t bytes_peak() const { return bytes_peak_; }
  std::uint64_t table_bytes() const { return table_.bytes(); }

  void insert(const std::vector<std::vector<std::byte>>& states);
  /// What is in the log is the first level.
  void begin();
  /// Goes on until the host has something to do.
  void expand();
  /// After Stop::table or Stop::log. False: the memory of the device is full.
  bool make_room(Stop stop);

  // What the last launch has found; asked for once.
  std::vector<std::uint64_t> take_reports() { return take(s_.reports, s_.report_count); }
  std::vector<std::uint64_t> take_deadlocked() { return take(s_.deadlocked, s_.deadlocked_count); }
  std::vector<std::uint64_t> take_given_up() { return take(s_.given_up, s_.given_up_count); }
  const std::vector<std::uint64_t>& level_sizes() const { return level_sizes_so_far_; }
  std::vector<std::uint8_t> enabled() const;

  std::vector<std::byte> state(std::uint64_t number) const;
  std::vector<std::vector<std::byte>> states(const std::vector<std::uint64_t>& numbers) const;
  std::uint64_t level_of(std::uint64_t number) const;
  /// The steps from this state were taken by the host.
  void note_given_up(std::uint64_t number) { stepped_here_[level_of(number)].push_back(number); }

  /// A shortest run to a state.
  Path run_to(std::uint64_t number, Budget& budget);

 private:
  void launch(Mode mode);
  bool grow_table();
  bool grow_log();
  DeviceMemory allocate(std::uint64_t bytes);
  DeviceMemory enlarged(std::uint64_t items, std::uint64_t bytes_each, std::uint64_t& larger_items);
  DeviceMemory need(std::uint64_t bytes);
  std::vector<std::uint64_t> take(const std::uint64_t* list, std::uint64_t& count);
  void begin_level(std::uint64_t size);
  Word* log_entry(std::uint64_t number) const;
  /// A state of the level, and the action that leads from it to `state`.
  struct Predecessor {
    std::vector<std::byte> state;
    ActionId action;
  };
  Predecessor predecessor(const std::vector<std::byte>& state, std::uint64_t level);
  std::optional<Predecessor> predecessor_among(const std::vector<std::byte>& state, std::uint64_t first,
                                               std::uint64_t end);

  ModelCode code_;
  Machine machine_;
  std::unique_ptr<Device> device_;
  std::uint64_t limit_;
  std::uint64_t bytes_peak_ = 0;
  Search s_;
  DeviceMemory search_, table_, log_, reports_, deadlocked_, given_up_, level_sizes_, enabled_, known_,
      part_emits_;
  std::vector<std::uint64_t> level_sizes_so_far_, level_begins_;      ///< by level
  std::map<std::uint64_t, std::vector<std::uint64_t>> stepped_here_;  ///< by level
};

}  // namespace tideline::gpu
