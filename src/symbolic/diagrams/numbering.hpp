// Numbering: numbers for keys in the order in which they are met, 0 and up.
//
// A hash table with linear probing that holds the numbers; the keys lie in a vector by number. It is for
// passes over a diagram that keep data for each node, or for each pair of a node and a relation, in a vector
// beside this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tideline::symbolic {

class Numbering {
 public:
  using Key = std::uint64_t;

  std::span<const Key> keys() const { return keys_; }

  /// The number of a key; a new one when the key is new.
  std::uint32_t number(Key key) {
    if (2 * keys_.size() >= places_.size()) grow();
    std::uint32_t& place = places_[find(key)];
    if (place == 0) {
      keys_.push_back(key);
      place = static_cast<std::uint32_t>(keys_.size());
    }
    return place - 1;
  }

  /// The number of a key that has one.
  std::uint32_t at(Key key) const { return places_[find(key)] - 1; }

 private:
  /// Where the key is, or where it would be put.
  std::size_t find(Key key) const {
    const std::size_t mask = places_.size() - 1;
    std::uint64_t hash = key * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    std::size_t at = hash & mask;
    while (places_[at] != 0 && keys_[places_[at] - 1] != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    places_.assign(places_.empty() ? 16 : 2 * places_.size(), 0);
    for (std::uint32_t i = 0; i < keys_.size(); ++i) places_[find(keys_[i])] = i + 1;
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> places_;  ///< 1 + number; 0: free
};

}  // namespace tideline::symbolic
