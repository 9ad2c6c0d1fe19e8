// PassedStates: the states that a sweep has left behind, on disk, so that it does not expand them again.
//
// A sweep forgets the states behind the line. Where transitions lead back, later sweeps come to the same layers,
// and meet states there that were expanded and forgotten. What the line passes is therefore written to a file, layer
// by layer. When a later sweep comes to a layer, its states are read back before any is expanded. Writing and reading
// a state takes a small part of the time that it takes to expand it.
// (Layers that are compared with what is on disk when it is their turn: U. Stern and D. L. Dill, "Using magnetic disk
// instead of main memory in the Murphi verifier", 1998.)
//
// Memory holds 24 bytes for each time that a layer was passed. Where layers are so small that this is too much, or when
// the disk is full, everything is forgotten, for good: a search must do without, and may at any time.
//
// Invariants: a run has the layers of one sweep, or of several, in order; what was passed since the last call of
// end_sweep() is not read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <vector>

#include "model/error.hpp"
#include "store/disk_file.hpp"
#include "store/layers.hpp"

namespace tideline {

class PassedStates {
 public:
  /// The file has no name. Throws Error(io).
  PassedStates(const std::filesystem::path& folder, std::size_t state_bytes);

  /// What was expanded in a layer in this sweep and is not known from earlier ones. Several threads may call this. False:
  /// it cannot be kept.
  bool append(std::uint64_t progress, const Layer& layer);
  /// Likewise what another search has expanded: so many states with this progress, which it gets from state(i).
  template <class StateOf>
  bool append(std::uint64_t progress, std::uint64_t count, const StateOf& state) {
    const std::scoped_lock lock(appending_);
    if (count == 0 || !complete_) return complete_;
    begin_segment(progress, count);
    for (std::uint64_t i = 0; i < count; ++i) keep(state(i));
    end_segment();
    return complete_;
  }
  /// What was appended can be read from now on.
  void end_sweep();

  /// How many states it knows with this progress.
  std::uint64_t count(std::uint64_t progress) const {
    std::uint64_t count = 0;
    for (const Run& run : runs_)
      for (const Segment& segment : of(run, progress)) count += segment.count;
    return count;
  }
  /// Calls sink(state) for all with this progress. Several threads may call this, none of which appends. Throws
  /// Error(io).
  template <class Sink>
  void read(std::uint64_t progress, const Sink& sink) const {
    std::vector<std::byte> states;
    const std::uint64_t most = std::max<std::uint64_t>(bytes_at_a_time / state_bytes_, 1);
    for (const Run& run : runs_)
      for (const Segment& segment : of(run, progress))
        for (std::uint64_t first = 0; first < segment.count; first += most) {
          states.resize(std::min(segment.count - first, most) * state_bytes_);
          if (!file_.read(states, segment.offset + first * state_bytes_))
            throw Error(ErrorKind::io, "the file of passed states is damaged");
          for (std::size_t at = 0; at < states.size(); at += state_bytes_) sink(states.data() + at);
        }
  }

  void forget_below(std::uint64_t progress);
  void forget_all();
  /// Whether it knows all states that were appended, except those that it was told to forget.
  bool complete() const { return complete_; }

 private:
  struct Segment {
    std::uint64_t progress = 0, offset = 0;
    std::uint64_t count = 0;
  };
  using Run = std::vector<Segment>;
  /// To and from the file.
  static constexpr std::size_t bytes_at_a_time = 1 << 16;

  static std::span<const Segment> of(const Run& run, std::uint64_t progress) {
    const auto [first, last] = std::ranges::equal_range(run, progress, {}, &Segment::progress);
    return {first, last};
  }
  void begin_segment(std::uint64_t progress, std::uint64_t count);
  void keep(const std::byte* state);
  void end_segment();
  void write_pending();
  void give_up();

  DiskFile file_;
  std::size_t state_bytes_;
  std::mutex appending_;
  std::vector<std::byte> pending_ = {};  // for the end of the file
  std::uint64_t written_ = 0;            // bytes
  std::uint64_t states_ = 0, segments_ = 0;
  std::vector<Run> runs_ = {};  // each less than half as long as the one before
  Run current_ = {};
  bool complete_ = true;
};

}  // namespace tideline
