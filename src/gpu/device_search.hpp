// DeviceSearch: what the engines that search on a device have in common: they tell the monitor about states that the
// device has reported, and take the steps from those that it has given up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/workspace.hpp"
#include "search/states/state_search.hpp"

namespace tideline::gpu {

/// What a monitor wants to know, as facts for the device. A state that tells one is shown to the monitor.
Watches watches_of(const Monitor<Predicate>& monitor);

/// Memory of the processor is the process's own: its limit is one for all devices, too.
DeviceSettings device_settings(const StateSearch& search);

class DeviceSearch {
 public:
  virtual ~DeviceSearch() = default;

 protected:
  explicit DeviceSearch(StateSearch& search) : search_(search) {}

  /// A run to a state that has this number in the log now.
  virtual PathBuilder run_to(std::uint64_t number, const std::byte* state) const = 0;

  std::vector<std::vector<std::byte>> initial_states(Workspace& space) const;
  void look_at_states(Workspace& space);
  /// States in which the model may fail: the interpreter knows what that means. Returns their successors; note(number) is
  /// called for each of them.
  std::vector<std::vector<std::byte>> step_given_up(Workspace& space,
                                                    const std::function<void(std::uint64_t)>& note);
  void end_for_memory(const std::string& reason);
  /// Statistics of devices, and which actions they have taken.
  void report_device(const std::vector<Workspace*>& spaces, double started);

  // Those of the device, and those of the host.
  std::uint64_t transitions(std::uint64_t there) const { return there + transitions_here_; }
  std::uint64_t deadlocks(std::uint64_t there) const { return there + deadlocks_here_; }

  StateSearch& search_;

 private:
  /// Builds the run to a state, if that is wanted.
  auto locate(std::uint64_t number, const std::byte* state) const {
    return [this, number, state]() -> PathBuilder {
      return search_.options.traces ? run_to(number, state) : PathBuilder{};
    };
  }

  std::uint64_t transitions_here_ = 0, deadlocks_here_ = 0;  ///< of states that the host has looked at
};

}  // namespace tideline::gpu
