#include "gpu/run_backwards.hpp"

#include <algorithm>
#include <utility>

#include "model/error.hpp"

namespace tideline::gpu {

void RunBackwards::prepend(std::optional<Predecessor> before) {
  if (!before) throw Error(ErrorKind::internal, "a state that a device has found has no predecessor");
  path_.states.push_back(std::move(before->state));
  path_.actions.push_back(before->action);
}

Path RunBackwards::take() && {
  std::ranges::reverse(path_.states);
  std::ranges::reverse(path_.actions);
  return std::move(path_);
}

}  // namespace tideline::gpu
