// Frames: a stack of word arrays for recursive operations, whose memory never moves.
//
// An operation on diagrams builds the children of its result while it calls itself; the array must stay where
// it is although further arrays are stacked on top of it. Arrays therefore lie in large segments, and one
// that does not fit the rest of a segment begins the next. What lies below the tops can be visited: a forest
// takes the children of unfinished nodes for roots when it collects garbage.
//
// Invariant: frames are given back in the reverse order of taking them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/memory.hpp"

namespace tideline::symbolic {

class Frames {
 public:
  using Word = std::uint32_t;

  /// An array of zeroed words at the top of the stack.
  class Frame {
   public:
    Frame(Frames& frames, std::size_t words)
        : frames_(frames), segment_(frames.current_), top_(frames.top()), size_(words) {
      data_ = frames.take(words);
    }
    ~Frame() { frames_.give_back(segment_, top_); }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    Word* data() const { return data_; }
    std::size_t size() const { return size_; }
    Word& operator[](std::size_t i) const { return data_[i]; }

    /// Makes the array longer. It must be the topmost one, and may move.
    void grow(std::size_t words) {
      const Word* const old = data_;
      Segment& segment = frames_.segments_[frames_.current_];
      if (data_ + words <= segment.words() + segment.capacity) {
        std::fill(data_ + size_, data_ + words, Word{0});
        segment.used = static_cast<std::size_t>(data_ + words - segment.words());
      } else {
        data_ = frames_.take(words);
        std::copy(old, old + size_, data_);
      }
      size_ = words;
    }

   private:
    Frames& frames_;
    std::size_t segment_;
    std::size_t top_;
    std::size_t size_;
    Word* data_;
  };

  /// visit(word) for everything on the stack.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t s = 0; s < segments_.size() && s <= current_; ++s)
      for (std::size_t i = 0; i < segments_[s].used; ++i) visit(segments_[s].words()[i]);
  }

 private:
  static constexpr std::size_t segment_words = std::size_t{1} << 18;

  struct Segment {
    Memory memory;
    std::size_t capacity = 0;
    std::size_t used = 0;
    Word* words() const { return reinterpret_cast<Word*>(memory.data()); }
  };

  std::size_t top() const { return segments_.empty() ? 0 : segments_[current_].used; }

  Word* take(std::size_t words) {
    if (segments_.empty() || segments_[current_].used + words > segments_[current_].capacity) [[unlikely]]
      next_segment(words);
    Segment& segment = segments_[current_];
    Word* const data = segment.words() + segment.used;
    std::fill(data, data + words, Word{0});
    segment.used += words;
    return data;
  }

  void next_segment(std::size_t words) {
    if (!segments_.empty()) ++current_;
    // Twice as long as needed: an array that grows word by word must not move each time. What is not used
    // takes no memory.
    const std::size_t capacity = std::max(2 * words, segment_words);
    if (current_ == segments_.size()) segments_.emplace_back();
    Segment& segment = segments_[current_];
    if (segment.capacity < words) segment = {Memory(capacity * sizeof(Word)), capacity, 0};
    segment.used = 0;
  }

  void give_back(std::size_t segment, std::size_t top) {
    current_ = segment;
    if (!segments_.empty()) segments_[segment].used = top;
  }

  std::vector<Segment> segments_;
  std::size_t current_ = 0;
};

}  // namespace tideline::symbolic
