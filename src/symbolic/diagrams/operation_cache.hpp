// OperationCache: remembers results of operations on diagrams.
//
// The cache is lossy: a bucket is one cache line with a few entries, the newest first, and a new entry pushes
// the oldest out. Entries name nodes but do not keep them alive; when the forest collects garbage, entries of
// nodes that die are dropped. The cache begins small and doubles while it is in use, up to its share of the
// memory that the forest leaves to caches.
//
// A key is some words, the first of which identifies the operation; the bit mask `NodeWords` says which words
// are nodes (bit w: word w of the key). The value is always nodes. A first word of 0 is a free entry.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "store/memory.hpp"
#include "symbolic/diagrams/forest.hpp"

namespace tideline::symbolic {

template <std::size_t KeyWords, std::size_t ValueWords, unsigned NodeWords>
class OperationCache final : public WeakTable {
 public:
  using Key = std::array<std::uint32_t, KeyWords>;
  using Value = std::array<NodeId, ValueWords>;

  /// `share`: which part of the forest's limit for caches it may take.
  explicit OperationCache(Forest& forest, double share = 1)
      : forest_(forest),
        most_buckets_(std::bit_floor(
            static_cast<std::size_t>(static_cast<double>(forest.cache_limit()) * share) / sizeof(Bucket))) {
    most_buckets_ = std::max(most_buckets_, first_buckets);
    resize(first_buckets);
    forest.add_table(*this);
  }
  ~OperationCache() override { forest_.remove_table(*this); }
  OperationCache(const OperationCache&) = delete;
  OperationCache& operator=(const OperationCache&) = delete;

  bool find(const Key& key, Value& value) {
    ++lookups_;
    const Bucket& bucket = buckets()[hash(key) & mask_];
    for (const Entry& entry : bucket.entries)
      if (same(entry.key, key)) {
        ++hits_;
        value = entry.value;
        return true;
      }
    return false;
  }

  /// Prefetches what find() will look at. Worth it for the many children of a wide node: a lookup in a large
  /// cache waits for memory, and these wait together.
  void prefetch(const Key& key) const { prefetch_line(&buckets()[hash(key) & mask_]); }

  void insert(const Key& key, const Value& value) {
    if (++inserted_ > (mask_ + 1) * entries_a_bucket && mask_ + 1 < most_buckets_) [[unlikely]]
      grow();
    put(buckets()[hash(key) & mask_], {key, value});
  }

  void sweep() override {
    for (std::size_t b = 0; b <= mask_; ++b)
      for (Entry& entry : buckets()[b].entries)
        if (entry.key[0] != 0 && !stays(entry)) entry = {};
  }

  void add_figures(ForestFigures& figures) const override {
    figures.cache_lookups += lookups_;
    figures.cache_hits += hits_;
  }

 private:
  struct Entry {
    Key key{};
    Value value{};
  };
  static constexpr std::size_t entries_a_bucket = cache_line / sizeof(Entry);
  struct alignas(cache_line) Bucket {
    std::array<Entry, entries_a_bucket> entries;
  };
  static constexpr std::size_t first_buckets = 1024;

  Bucket* buckets() const { return reinterpret_cast<Bucket*>(memory_.data()); }

  static std::uint64_t hash(const Key& key) {
    std::uint64_t h = 0;
    for (const std::uint32_t word : key) {
      h = (h ^ word) * 0x9E3779B97F4A7C15u;
      h ^= h >> 32;
    }
    return h;
  }

  /// Word by word: the standard's comparison of arrays is a call.
  static bool same(const Key& a, const Key& b) {
    std::uint32_t difference = 0;
    for (std::size_t w = 0; w < KeyWords; ++w) difference |= a[w] ^ b[w];
    return difference == 0;
  }

  static void put(Bucket& bucket, const Entry& entry) {
    std::copy_backward(bucket.entries.begin(), bucket.entries.end() - 1, bucket.entries.end());
    bucket.entries[0] = entry;
  }

  bool stays(const Entry& entry) const {
    for (std::size_t w = 0; w < KeyWords; ++w)
      if ((NodeWords >> w & 1) != 0 && !forest_.is_marked(entry.key[w])) return false;
    return std::all_of(entry.value.begin(), entry.value.end(),
                       [&](NodeId node) { return forest_.is_marked(node); });
  }

  void resize(std::size_t count) {
    memory_ = Memory(count * sizeof(Bucket), Memory::Pages::huge);
    mask_ = count - 1;
  }

  void grow() {
    const Memory old = std::move(memory_);
    const std::size_t old_count = mask_ + 1;
    resize(old_count * 2);
    const auto* const from = reinterpret_cast<const Bucket*>(old.data());
    for (std::size_t b = 0; b < old_count; ++b)
      for (std::size_t e = entries_a_bucket; e-- > 0;)
        if (const Entry& entry = from[b].entries[e]; entry.key[0] != 0)
          put(buckets()[hash(entry.key) & mask_], entry);
    inserted_ = 0;
  }

  Forest& forest_;
  std::size_t most_buckets_;
  Memory memory_;
  std::size_t mask_ = 0;
  std::uint64_t inserted_ = 0;
  std::uint64_t lookups_ = 0;
  std::uint64_t hits_ = 0;
};

}  // namespace tideline::symbolic
