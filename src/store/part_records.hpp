// PartRecords: the parts of states in a tree (tree_table.hpp), pairs of numbers in 8 bytes each, as the records of a
// ConcurrentTable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "store/concurrent_array.hpp"
#include "store/memory.hpp"
#include "store/pair.hpp"

namespace tideline {

template <class Hash = PairHash>
class PartRecords {
 public:
  using Key = Pair;
  static constexpr double growth_factor = 1.25;

  PartRecords(std::size_t, std::size_t, std::uint64_t most_records) : records_(sizeof(Pair), most_records) {}

  std::size_t records_a_page() const { return records_.records_a_page(); }
  void require(std::size_t first) { records_.require(first); }
  std::uint64_t bytes_of(std::uint64_t records) const { return records_.bytes_of(records); }

  void write(StateId id, Pair part) { std::memcpy(records_[id], &part, sizeof part); }
  Pair state(StateId id) const {
    Pair part;
    std::memcpy(&part, records_[id], sizeof part);
    return part;
  }
  bool is(StateId id, Pair part) const { return state(id) == part; }
  std::uint64_t hash(Pair part) const { return Hash{}(part); }
  std::uint64_t hash_of(StateId id) const { return hash(state(id)); }
  void prefetch(StateId id) const { prefetch_line(records_[id]); }

 private:
  ConcurrentArray records_;
};

}  // namespace tideline
