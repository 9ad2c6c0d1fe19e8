// Workspace: what every search on a device has: the code of the model, the device with its memory, the numbers that the
// kernel works with, and the lists by which it tells the host about states.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/machine.hpp"
#include "gpu/device.hpp"
#include "gpu/model_code.hpp"
#include "search/states/device.hpp"

namespace tideline::gpu {

/// A state, and the action that leads from it to a certain other one.
struct Predecessor {
  std::vector<std::byte> state;
  ActionId action;
};

class Workspace {
 public:
  /// Throws Error (usage) where there is no such device, or it cannot search this model. Throws LimitReached where its
  /// memory is too small. A sweep has a measure. `own`: of settings.cards devices it is on this one.
  Workspace(const System& system, ErrorSemantics errors, Watches watches, std::optional<Measure> measure,
            const DeviceSettings& settings, unsigned threads, unsigned own);
  virtual ~Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const Device& device() const { return *device_; }
  Machine& machine() { return machine_; }
  const ModelCode& code() const { return code_; }
  /// The numbers as they were after the last launch.
  const Search& numbers() const { return s_; }
  /// Of the device, in use now.
  virtual std::uint64_t bytes() const;
  std::uint64_t bytes_peak() const { return bytes_peak_; }

  // What the last launch has found; asked for once.
  std::vector<std::uint64_t> take_reports() { return take(s_.reports, s_.report_count); }
  std::vector<std::uint64_t> take_deadlocked() { return take(s_.deadlocked, s_.deadlocked_count); }
  std::vector<std::uint64_t> take_given_up() { return take(s_.given_up, s_.given_up_count); }
  std::vector<std::byte> state(std::uint64_t number) const;
  std::vector<std::vector<std::byte>> states(const std::vector<std::uint64_t>& numbers) const;
  /// By action: whether it was taken.
  std::vector<std::uint8_t> enabled() const;

  // Of several devices (exchange.hpp).
  /// States that have been found here, and belong to another one.
  struct Mail {
    const Device* device;
    const Word* states;
    std::uint64_t count;
  };
  /// Some, from the first that it does not have yet.
  Mail mail(std::size_t to, std::uint64_t first) const;
  /// Throws LimitReached.
  virtual void receive(const Mail& mail) = 0;
  /// All of them have what this one has found.
  void clear_mail();
  /// Of several, the one that has a state, if any has it.
  std::size_t owner_of(const std::vector<std::byte>& state) const;

 protected:
  static constexpr double fullest = 0.8;  ///< part of the table

  void launch(Mode mode);
  /// Nothing of it: the memory of the device does not allow it.
  DeviceMemory allocate(std::uint64_t bytes);
  /// Throws LimitReached.
  DeviceMemory need(std::uint64_t bytes);
  std::vector<std::uint64_t> take(const std::uint64_t* list, std::uint64_t& count);
  Word* log_entry(std::uint64_t number) const;
  std::vector<std::byte> unpacked(const Word* words) const;
  /// no_action: there is none.
  ActionId action_between(const std::vector<std::byte>& from, const std::vector<std::byte>& to);
  /// A state of a list on the device that leads to `state`, and where it is in the list. States that the device gives up
  /// are not found.
  std::optional<Predecessor> predecessor_in(const Word* list, std::uint64_t count,
                                            const std::vector<std::byte>& state, std::uint64_t& found);
  /// Likewise, by the host.
  std::optional<Predecessor> predecessor_in_part(const Word* list, std::uint64_t first, std::uint64_t end,
                                                 const std::vector<std::byte>& state, std::uint64_t& found);
  std::uint64_t state_bytes() const { return code_.dense().words() * sizeof(Word); }

  ModelCode code_;
  Machine machine_;
  std::unique_ptr<Device> device_;
  std::uint64_t limit_;
  std::uint64_t bytes_peak_ = 0;
  Search s_;

 private:
  DeviceMemory search_, reports_, deadlocked_, given_up_, level_sizes_, enabled_, known_, part_emits_, mail_;
};

}  // namespace tideline::gpu
