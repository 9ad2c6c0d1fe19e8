// SuccessorStack: the stack of all depth-first searches.
//
// It holds, for every state of the current run, its successors that have not been tried yet, packed one after
// the other, each with the action and the acceptance marks of the transition that leads to it. A successor is
// looked up only when its turn comes, which makes true depth-first order: the entry last taken in each frame,
// from the bottom up, is the current run. Algorithms that need the stack to be a path (nested search, SCCs)
// rely on this.
//
// A frame also carries a Tag of the search's own: the number of its state, say.
//
// Invariants: frame f owns the entries from its first up to the next frame's first; those before its next
// have been taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "model/step.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "store/paged_array.hpp"

namespace tideline {

template <class Tag>
class SuccessorStack {
 public:
  /// A transition to try, or the one that was taken.
  struct Entry {
    ActionId action;
    std::uint32_t marks;
    const std::byte* state;
  };

  explicit SuccessorStack(std::size_t state_bytes)
      : state_bytes_(state_bytes), entries_(sizeof(Header) + state_bytes) {}

  bool empty() const { return frames_.empty(); }
  /// Frames on the stack; the run to the current state has one step less.
  std::size_t depth() const { return frames_.size(); }
  /// Transitions on the stack, tried and untried.
  std::size_t entries() const { return entries_.size(); }
  std::uint64_t memory_bytes() const { return entries_.memory_bytes() + frames_.memory_bytes(); }
  /// What a search with this stack shows while it works.
  RunStatus status(std::uint64_t states, std::uint64_t transitions) const {
    return {.states = states, .transitions = transitions, .frontier = entries(), .depth = depth()};
  }

  void open_frame(const Tag& tag) { frames_.push_back({entries_.size(), entries_.size(), tag}); }
  /// Adds a transition to the topmost frame.
  void push(const Step& step) {
    std::byte* const entry = entries_.extend();
    const Header header{step.action, step.marks};
    std::memcpy(entry, &header, sizeof header);
    std::memcpy(entry + sizeof header, step.state, state_bytes_);
  }
  /// Puts the transitions of the topmost frame into a random order.
  template <class Random>
  void shuffle_frame(Random& random) {
    const std::size_t first = frames_.back().first;
    for (std::size_t i = entries_.size(); i > first + 1; --i) {
      const std::size_t other = first + random() % (i - first);
      std::swap_ranges(entries_[i - 1], entries_[i - 1] + entries_.record_bytes(), entries_[other]);
    }
  }
  void close_frame() {
    entries_.truncate(frames_.back().first);
    frames_.pop_back();
  }

  Tag& tag() { return frames_.back().tag; }
  const Tag& tag(std::size_t frame) const { return frames_[frame].tag; }
  bool has_next() const { return frames_[frames_.size() - 1].next != entries_.size(); }
  Entry take() { return entry(frames_.back().next++); }
  /// The transition last taken in a frame.
  Entry taken(std::size_t frame) const { return entry(frames_[frame].next - 1); }

  /// Appends the transitions taken in all frames, from the bottom up, to a path that ends where they begin.
  /// The first frame of a search holds the initial states: a path that is empty gets no action for it. Of a
  /// frame that was just opened nothing has been taken yet.
  void append_run(Path& path) const { append_run(path, frames_.size()); }
  /// The same for the lowest `frames` frames: the run to the state whose frame comes next.
  void append_run(Path& path, std::size_t frames) const {
    for (std::size_t f = 0; f < frames && frames_[f].next != frames_[f].first; ++f) {
      const Entry step = taken(f);
      if (!path.states.empty()) path.actions.push_back(step.action);
      path.states.emplace_back(step.state, step.state + state_bytes_);
    }
  }

 private:
  struct Header {
    ActionId action;
    std::uint32_t marks;
  };
  struct Frame {
    std::size_t first;
    std::size_t next;
    Tag tag;
  };

  Entry entry(std::size_t i) const {
    Header header;
    std::memcpy(&header, entries_[i], sizeof header);
    return {header.action, header.marks, entries_[i] + sizeof header};
  }

  std::size_t state_bytes_;
  PagedArray entries_;
  PagedVector<Frame> frames_;
};

}  // namespace tideline
