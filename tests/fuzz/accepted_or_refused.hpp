// What every reader does with any bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "model/error.hpp"

namespace tideline::fuzz {

/// Bad input is bad input; an internal error is ours.
template <class Read>
void accepted_or_refused(const Read& read, std::initializer_list<ErrorKind> refusals = {}) {
  try {
    read();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input && std::ranges::find(refusals, error.kind()) == refusals.end())
      throw;
  }
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace tideline::fuzz
