// PassedStates: the states that a sweep has left behind, on disk, so that it does not expand them again.
//
// A sweep forgets the states behind the line. Where transitions lead back, later sweeps come to the same layers,
// and meet states there that were expanded and forgotten. What the line passes is therefore written to a file, layer
// by layer. When a later sweep comes to a layer, its states are read back before any is expanded. Writing and reading
// a state takes a small part of the time that it takes to expand it.
// (Layers that are compared with what is on disk when it is their turn: U. Stern and D. L. Dill, "Using magnetic disk
// instead of main memory in the Murphi verifier", 1998.)
//
// Memory holds 24 bytes for each time that a layer was passed. When layers lie in many places of the file, they are written
// again, each in one place. Where layers are so small that even this is too much, or when the disk is full, everything is
// forgotten, for good: a search must do without, and may at any time.
//
// Invariants: a run has the layers of one sweep, or of several, in order; what was passed since the last call of
// end_sweep() is not read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "store/disk_file.hpp"
#include "store/layer_segments.hpp"
#include "store/layers.hpp"

namespace tideline {

class PassedStates {
 public:
  /// The file has no name. Throws Error(io).
  PassedStates(const std::filesystem::path& folder, std::size_t state_bytes);

  /// What was expanded in a layer in this sweep and is not known from earlier ones. `layer`: the layer's parts. False: it
  /// cannot be kept.
  bool append(std::uint64_t progress, std::span<const Layer* const> layer);
  /// Likewise what another search has expanded: pairs of the progress of a state and its number, which are sorted on the way;
  /// state(number) is the state.
  template <class Number, class StateOf>
  bool append_sorted(std::vector<std::pair<std::uint64_t, Number>>& states, const StateOf& state) {
    std::ranges::sort(states);
    for (auto first = states.begin(); first != states.end() && complete_;) {
      const std::uint64_t progress = first->first;
      const auto last = std::find_if(first, states.end(), [=](const auto& s) { return s.first != progress; });
      begin_segment(progress, static_cast<std::uint64_t>(last - first));
      for (; first != last; ++first) keep(state(first->second));
      end_segment();
    }
    return complete_;
  }
  /// What was appended can be read from now on.
  void end_sweep();

  /// How many states it knows with this progress.
  std::uint64_t count(std::uint64_t progress) const {
    std::uint64_t count = 0;
    for (const Run& run : runs_)
      for (const LayerSegment& segment : segments_of(run, progress)) count += segment.count;
    return count;
  }
  /// Calls sink(states, number) until it has named all with this progress, of which so many lie one after the other in
  /// `scratch`. Several threads may call this, none of which appends. Throws Error(io).
  template <class Sink>
  void read(std::uint64_t progress, std::vector<std::byte>& scratch, const Sink& sink) const {
    for (const Run& run : runs_)
      for (const LayerSegment& segment : segments_of(run, progress))
        read_segment(file_, segment, state_bytes_, scratch, sink);
  }

  /// From now on each state that it knows has the progress that progress(state) returns. Calls check() for every state.
  /// Where that throws, it gives up.
  template <class ProgressOf, class Check>
  void measure_again(const ProgressOf& progress, const Check& check) {
    end_sweep();
    const std::uint64_t bytes = states_ * state_bytes_;
    const std::vector<Run> runs = std::exchange(runs_, {});
    const auto from = complete_ ? begin_again() : std::nullopt;
    if (!from) return;
    // They are sorted part by part; each part is a run then.
    const std::uint64_t most = std::max<std::uint64_t>(bytes / most_parts, sorted_at_a_time);
    std::vector<std::byte> part, scratch;
    const auto sort = [&] {
      std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
      for (std::size_t at = 0; at < part.size(); at += state_bytes_)
        order.emplace_back(progress(part.data() + at), static_cast<std::uint32_t>(order.size()));
      append_sorted(order, [&](std::uint32_t i) { return part.data() + i * state_bytes_; });
      end_sweep();
      part.clear();
    };
    try {
      for (const Run& run : runs)
        for (const LayerSegment& segment : run) {
          read_segment(*from, segment, state_bytes_, scratch,
                       [&](const std::byte* states, std::uint32_t number) {
                         for (std::uint32_t i = 0; i < number; ++i) check();
                         part.insert(part.end(), states, states + number * state_bytes_);
                         if (part.size() >= most) sort();
                       });
        }
      sort();
    } catch (...) {
      give_up();
      throw;
    }
  }

  void forget_below(std::uint64_t progress);
  /// Whether it knows all states that were appended, except those that it was told to forget.
  bool complete() const { return complete_; }

 private:
  using Run = std::vector<LayerSegment>;
  /// Of states that are sorted: at least so many bytes, or one of so many parts of all.
  static constexpr std::uint64_t sorted_at_a_time = 1 << 19, most_parts = 16;

  /// Whether layers are in many places of the file.
  static bool is_scattered(const Run& run);
  /// Writes the only run again, each layer in one place.
  void gather();
  /// A new, empty file takes the place of the one that this returns. Nothing: there is none, and it has given up.
  std::optional<DiskFile> begin_again();
  void begin_segment(std::uint64_t progress, std::uint64_t count);
  void keep(const std::byte* state);
  void end_segment();
  void write_pending();
  void forget_all();
  void give_up();

  DiskFile file_;
  std::size_t state_bytes_;
  std::vector<std::byte> pending_ = {};  // for the end of the file: a block, and how much of it is there
  std::size_t pending_bytes_ = 0;
  std::uint64_t written_ = 0;  // bytes
  std::uint64_t states_ = 0, segments_ = 0;
  std::vector<Run> runs_ = {};  // each less than half as long as the one before
  Run current_ = {};
  bool complete_ = true;
};

}  // namespace tideline
