// The Aldebaran format (.aut): an LTS as text, one transition per line.
//
//     des (0, 2, 2)
//     (0, "send !1", 1)
//     (1, i, 0)
//
// The first line has the initial state, the number of transitions and the number of states. A label is
// everything between the first and the last comma of its line, with or without quotes, so that labels may
// contain commas and brackets; inside quotes \" and \\ stand for the character itself. The caller says which
// label is the internal action: tools call it `i` or `tau`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lang/diagnostics.hpp"
#include "lang/lts/lts.hpp"

namespace tideline::lts {

/// Larger files are refused.
inline constexpr std::uint32_t most_aut_states = 10'000'000;

/// Reads a text. Throws Error(input).
Lts read_aut(const SourceText& source, std::string_view internal);

/// Writes an LTS piece by piece to the end of a text.
class AutWriter {
 public:
  /// Begins with the line of sizes.
  AutWriter(std::string& out, std::uint64_t initial, std::uint64_t transitions, std::uint64_t states);

  void transition(std::uint64_t from, std::string_view label, std::uint64_t to);

 private:
  std::string& out_;
};

/// The whole of an LTS.
std::string to_aut(const Lts& lts);

}  // namespace tideline::lts
