// PostponedRoots: roots of the next sweep, on disk until the line comes to them.
//
// Where a transition leads back behind the line, its destination is a root of the next sweep. Models that go round have many,
// and a sweep that kept them in memory would have little to forget. So when there are many they are written to a file, layer
// by layer, and forgotten. In the next sweep they are read back when the line comes to their layer. A root that was met
// again meanwhile is in the file twice, or has been expanded: whoever reads it looks.
//
// Invariants: what was postponed in one sweep is read in the next one, once; due segments are in order, and those before
// next_ have been read, or are being read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "store/disk_file.hpp"
#include "store/layer_segments.hpp"
#include "store/layers.hpp"

namespace tideline {

class PostponedRoots {
 public:
  /// Records have this size. The files have no names. Throws Error(io).
  PostponedRoots(const std::filesystem::path& folder, std::size_t record_bytes);

  /// Takes roots of the next sweep out of memory, where a layer has so many of them. False: they cannot be written, and
  /// stay there.
  bool take_from(Layers& layers, std::size_t least);

  /// For the next sweep.
  bool has_later() const { return !later_.empty(); }
  /// It begins; all that was due in this one has been read.
  void begin_sweep();

  /// The least layer that has roots to be read.
  std::optional<std::uint64_t> first_due() const {
    if (next_ == due_.size()) return std::nullopt;
    return due_[next_].progress;
  }
  /// The line has come to this layer, or is beyond it.
  void pass(std::uint64_t progress) {
    while (next_ < due_.size() && due_[next_].progress <= progress) ++next_;
  }
  /// Calls sink(records, number) until it has named all of this layer. Several threads may call this. Throws Error(io).
  template <class Sink>
  void read(std::uint64_t progress, std::vector<std::byte>& scratch, const Sink& sink) const {
    for (const LayerSegment& segment : segments_of(due_, progress))
      read_segment(due_file_, segment, record_bytes_, scratch, sink);
  }
  /// Calls sink(progress, record) for all that were not read, and forgets them.
  template <class Sink>
  void read_all(std::vector<std::byte>& scratch, const Sink& sink) {
    const auto all = [&](const DiskFile& file, std::span<const LayerSegment> segments) {
      for (const LayerSegment& segment : segments)
        read_segment(file, segment, record_bytes_, scratch,
                     [&](const std::byte* records, std::uint32_t number) {
                       for (; number != 0; --number, records += record_bytes_)
                         sink(segment.progress, records);
                     });
    };
    all(due_file_, std::span(due_).subspan(next_));
    all(later_file_, later_);
    forget_due();
    later_.clear();
    written_ = 0;
  }

 private:
  void forget_due() {
    due_.clear();
    next_ = 0;
  }
  /// Returns 0 or the error number.
  int write_pending();

  std::size_t record_bytes_;
  DiskFile due_file_, later_file_;
  std::vector<LayerSegment> due_ = {}, later_ = {};
  std::size_t next_ = 0;                 // of due_
  std::uint64_t written_ = 0;            // bytes of later_file_
  std::vector<std::byte> pending_ = {};  // for its end
};

}  // namespace tideline
