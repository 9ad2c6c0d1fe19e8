// Opening: how a system begins, as long as one process alone can act.
//
// Many models have a process that starts the others in a loop and tells each which channels are its own. To intervals
// (intervals.hpp) the loop's counter has all its values at once, so that every process might use every channel.
// The opening is followed state by state instead, and intervals begin where it ends. What they say then holds in every state
// behind the opening. In the states of the opening itself nothing may be left out: nothing is known about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "exec/reference.hpp"
#include "model/system.hpp"

namespace tideline::por {

class Opening {
 public:
  /// An opening that is long, or never ends, is no use: then it is empty and ends in the initial state.
  Opening(const System& system, ErrorSemantics errors);

  /// The states in which it ends: behind it, every run goes through one of them.
  const std::vector<std::vector<std::int32_t>>& ends() const { return ends_; }
  /// Whether the packed state, one that is seen, belongs to the opening.
  bool contains(const std::byte* state) const {
    return !states_.empty() &&
           states_.contains(std::string_view{reinterpret_cast<const char*>(state), size_});
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::size_t size_ = 0;  ///< of a packed state
  std::unordered_set<std::string, Hash, std::equal_to<>> states_;
  std::vector<std::vector<std::int32_t>> ends_;
};

}  // namespace tideline::por
