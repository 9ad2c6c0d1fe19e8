// Layer segments: records of one layer that lie one after the other in a file without a name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "model/error.hpp"
#include "store/disk_file.hpp"

namespace tideline {

struct LayerSegment {
  std::uint64_t progress = 0, offset = 0;
  std::uint64_t count = 0;  ///< of records
};

/// To and from such a file.
inline constexpr std::size_t segment_bytes_at_a_time = 1 << 16;

/// Throws Error(io).
inline DiskFile nameless_file(const std::filesystem::path& folder, const char* stem) {
  DiskFile file = DiskFile::create_in(folder, stem);
  file.remove_name();
  return file;
}

/// Those of this layer. They are in order.
inline std::span<const LayerSegment> segments_of(std::span<const LayerSegment> segments,
                                                 std::uint64_t progress) {
  const auto first = std::ranges::lower_bound(segments, progress, {}, &LayerSegment::progress);
  return {first, std::ranges::upper_bound(first, segments.end(), progress, {}, &LayerSegment::progress)};
}

/// Calls sink(records, number) until it has named all of the segment, of which so many lie one after the other in
/// `scratch`. Throws Error(io).
template <class Sink>
void read_segment(const DiskFile& file, const LayerSegment& segment, std::size_t record_bytes,
                  std::vector<std::byte>& scratch, const Sink& sink) {
  const std::uint64_t most = std::max<std::uint64_t>(segment_bytes_at_a_time / record_bytes, 1);
  for (std::uint64_t first = 0; first < segment.count; first += most) {
    const auto number = static_cast<std::uint32_t>(std::min(segment.count - first, most));
    const std::size_t bytes = number * record_bytes;
    if (scratch.size() < bytes) scratch.resize(bytes);
    if (!file.read(std::span(scratch).first(bytes), segment.offset + first * record_bytes))
      throw Error(ErrorKind::io, "a file of states is damaged");
    sink(scratch.data(), number);
  }
}

}  // namespace tideline
