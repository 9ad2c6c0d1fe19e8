// Methods of partial order reduction.
#pragma once

#include <cstdint>

namespace tideline::por {

/// Which sets of actions are tried in a state.
enum class Method : std::uint8_t {
  none,
  ample,     ///< all actions of one process
  stubborn,  ///< whatever is found by closing
};

/// The word for it.
inline const char* to_string(Method method) {
  return method == Method::none ? "off" : method == Method::ample ? "ample" : "stubborn";
}

}  // namespace tideline::por
