// Runs as SPIN's trails: what `spin -t` and `spin -k FILE` replay.
//
//     0:0:4        step 0: process 0 takes statement 4
//     1:2:9        the next line of a rendezvous is that of the receiver
//     -1:-1:-1     what follows is repeated for ever
//     -2:2:-2      a claim runs, too: it is process 0, and the number of every other one is higher by 1
//     -4:-4:-4     statements were merged: of several that follow each other only the first has a line
//
// Statements are known by the numbers that SPIN gives them (Participant::statement), processes by those of their components.
// The steps of claims are not written, and skipped where they are read: how SPIN translates a formula is its own business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/itf.hpp"

namespace tideline {

/// Files with this ending are written as trails.
inline constexpr std::string_view spin_trail_ending = ".trail";

/// Throws Error(usage) for a trail of a system whose statements SPIN has no numbers for.
void require_trace_format(const std::string& path, const System& system);

/// The run as the text of a trail.
std::string to_spin_trail(const System& system, const Trace& run);

/// The text of a trace file of this name: a trail, or ITF. Throws LimitReached.
std::string to_trace_file(const std::string& path, const System& system, const Trace& run,
                          const TraceHeader& header, Budget* budget = nullptr);

struct SpinTrail {
  struct Line {
    std::uint32_t process = 0;
    std::int32_t statement = 0;
  };
  std::string name;  ///< of the file
  std::vector<Line> lines = {};
  std::optional<std::size_t> loop = {};  ///< the line that the cycle begins with
  bool merged = false;
};

/// Whether a file is a trail: its first line looks like one, or it has none and the ending of one.
bool is_spin_trail(const std::string& path, std::string_view text);

/// Throws Error(input).
SpinTrail read_spin_trail(std::string_view text, const std::string& name);

/// The run that the trail means. Throws Error(input) where the system cannot follow it.
Trace follow_spin_trail(const System& system, const SpinTrail& trail);

/// The same run in the other format, so that it can be treated like one that was saved. It claims nothing.
ItfTrace to_itf_trace(const System& system, const SpinTrail& trail, const std::string& model);

/// The model that a trail belongs to by its name: that of the file without its ending.
std::optional<std::string> model_of_trail(const std::string& file);

}  // namespace tideline
