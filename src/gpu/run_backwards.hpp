// RunBackwards: a run that is put together from its end.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "gpu/workspace.hpp"
#include "run/outcome.hpp"

namespace tideline::gpu {

class RunBackwards {
 public:
  explicit RunBackwards(std::vector<std::byte> last) { path_.states.push_back(std::move(last)); }

  /// The state that it begins with so far.
  const std::vector<std::byte>& first() const { return path_.states.back(); }
  /// Every state but the initial ones was found from another one: throws Error (internal) if there is none.
  void prepend(std::optional<Predecessor> before);
  Path take() &&;

 private:
  Path path_;  // backwards
};

}  // namespace tideline::gpu
