// Where a search runs: --device, --gpu-memory and --cards.
#pragma once

#include <cstdint>
#include <optional>

namespace tideline {

inline constexpr unsigned most_cards = 16;

struct DeviceSettings {
  bool is_wanted = false;                          ///< of engines that can do without: a device was asked for
  bool is_cpu = false;                             ///< threads of the processor run the kernels of the card
  std::optional<std::uint64_t> memory_bytes = {};  ///< of each device; nothing: what is free
  unsigned cards = 1;                              ///< devices that share the states
  std::uint64_t first_states = 1 << 22;          ///< room in the first table; more is made when it is needed
  std::optional<std::uint64_t> host_bytes = {};  ///< for states of a sweep; nothing: a part of what is free
};

}  // namespace tideline
