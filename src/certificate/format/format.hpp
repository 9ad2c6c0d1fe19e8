// The format of certificates, which docs/certificates.md describes: what the writer (certificate_file.hpp) and the
// checker's reader (apps/certify) have in common.
//
// A line that names the format, then frames, each with a header. A frame of kind `block` has the first of its states as
// it is, then the rest, compressed: for each state the number of bytes that it shares with the one before, then the
// bytes that it does not share, then what is kept beside states. All numbers are little-endian.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/system.hpp"

namespace tideline::certificate {

inline constexpr std::string_view format_line = "tideline certificate 1\n";
inline constexpr std::string_view format_name = "tideline certificate ";

enum class FrameKind : std::uint32_t {
  head = 1,     ///< JSON, compressed: the model
  section = 2,  ///< JSON, compressed: a set of states follows, and what it proves
  block = 3,    ///< states, strictly ascending by memcmp over all blocks of a section
  end = 4,      ///< of a section: how many states and blocks it has, eight bytes each
  last = 5,     ///< nothing follows
};

struct FrameHeader {
  /// Of the other numbers and of what follows, by XXH3 with the number of the frame as its seed.
  std::uint64_t checksum = 0;
  FrameKind kind = FrameKind::last;
  std::uint32_t records = 0;       ///< states in a block
  std::uint32_t raw_bytes = 0;     ///< of the content, not compressed
  std::uint32_t stored_bytes = 0;  ///< that follow the header
};
static_assert(sizeof(FrameHeader) == 24 && std::endian::native == std::endian::little);

/// A reader refuses what is larger.
inline constexpr std::uint32_t most_raw_bytes = 1 << 22;
/// A writer begins another block.
inline constexpr std::size_t block_bytes = 1 << 16;

/// What kinds of sections are called.
inline constexpr std::string_view states_section = "states";  ///< a set that no step leaves
inline constexpr std::string_view runs_section = "runs";      ///< likewise of a product, with ranks
inline constexpr std::string_view ctl_section = "CTL";  ///< likewise of the system, with ranks and successors

/// What is kept beside a state: ranks, and after them as many numbers of successors, of four bytes each.
using Rank = std::uint32_t;

/// Bytes of the number that says how many bytes are shared.
inline constexpr std::size_t share_bytes(std::size_t state_bytes) {
  return state_bytes <= 0xFF ? 1 : 2;
}

/// Names the system, so that a certificate of another one is refused by a clear message. It proves nothing.
std::string digest_of(const System& system);

}  // namespace tideline::certificate
