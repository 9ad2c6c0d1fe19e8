// BucketIndex: from hashes to the numbers of states that lie elsewhere, one cache line per lookup.
//
// A bucket is one line: twelve entries of an 8-bit tag (part of the hash) and a state number, with all tags
// compared at once. A lookup touches one line of the index and the state it finds; a state that only has the
// same tag is compared once in some 25 lookups. Full buckets overflow into the next one.
//
// The index does not know the states. Its owner passes a function that compares a number with the state that
// is looked up, and for growing, one that computes the hash of a number again: keeping hashes would cost more
// memory than the index itself.
//
// Invariants: entries of a bucket are filled from 0 on and never removed; every state is in the first bucket
// from its home on (cyclically) that had room when it came, so a search ends at the first bucket with room;
// there is always a bucket with room.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "store/memory.hpp"
#include "store/state_table.hpp"

namespace tideline {

namespace detail {

struct alignas(cache_line) Bucket {
  static constexpr unsigned entries = 12;

  std::uint8_t tag[entries];
  std::uint32_t used;  // tag and used are read as one 16-byte word
  StateId id[entries];

  bool full() const { return used == entries; }

  /// One bit for each entry in use whose tag is this one.
  [[gnu::always_inline]] unsigned matches(std::uint8_t wanted) const {
#ifdef __SSE2__
    const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(tag));
    const __m128i equal = _mm_cmpeq_epi8(tags, _mm_set1_epi8(static_cast<char>(wanted)));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(equal));
#else
    unsigned mask = 0;
    for (unsigned i = 0; i < entries; ++i) mask |= static_cast<unsigned>(tag[i] == wanted) << i;
#endif
    return mask & ((1u << used) - 1);
  }

  void add(std::uint8_t new_tag, StateId new_id) {
    tag[used] = new_tag;
    id[used] = new_id;
    ++used;
  }
};
static_assert(sizeof(Bucket) == cache_line);

}  // namespace detail

class BucketIndex {
 public:
  /// What the index uses of a hash: 32 bits that choose the bucket, 8 that are compared.
  struct Key {
    std::uint32_t home;
    std::uint8_t tag;
  };

  bool empty() const { return count_ == 0; }
  /// It must grow before the next insertion.
  bool crowded() const { return std::uint64_t{10} * count_ >= std::uint64_t{9} * room(); }
  std::uint32_t bucket_count() const { return bucket_count_; }
  std::size_t memory_bytes() const { return memory_.size(); }

  /// The number for which same(number) holds, or no_state.
  template <class Same>
  StateId find(Key key, const Same& same) const {
    if (count_ == 0) return no_state;
    for (std::size_t b = home(key);; b = next(b)) {
      if (const StateId id = find_in(buckets()[b], key, same); id != no_state) return id;
      if (!buckets()[b].full()) return no_state;
    }
  }

  /// Likewise; when there is none, enters what make() returns (nothing if that is no_state) and returns it as
  /// new. Must not be crowded.
  template <class Same, class Make>
  Insertion find_or_add(Key key, const Same& same, const Make& make) {
    for (std::size_t b = home(key);; b = next(b)) {
      detail::Bucket& bucket = buckets()[b];
      if (const StateId id = find_in(bucket, key, same); id != no_state) return {id, false};
      if (bucket.full()) continue;
      const StateId id = make();
      if (id == no_state) [[unlikely]]
        return {no_state, false};
      bucket.add(key.tag, id);
      ++count_;
      return {id, true};
    }
  }

  /// Enters a number whose state is known to be different from all that are there. Must not be crowded.
  void add(Key key, StateId id) {
    enter(key, id);
    ++count_;
  }

  /// How many buckets there must be for so many states, with room for the next one.
  static std::uint32_t buckets_for(std::uint64_t states) {
    return static_cast<std::uint32_t>(states * 10 / (9 * detail::Bucket::entries) + 1);
  }

  [[gnu::always_inline]] void prefetch(Key key) const { prefetch_line_to_write(buckets() + home(key)); }

  /// The first number that find() would compare, or no_state.
  [[gnu::always_inline]] StateId likely(Key key) const {
    if (count_ == 0) return no_state;
    const detail::Bucket& bucket = buckets()[home(key)];
    const unsigned mask = bucket.matches(key.tag);
    return mask == 0 ? no_state : bucket.id[std::countr_zero(mask)];
  }

  static constexpr std::size_t bucket_bytes = sizeof(detail::Bucket);

  /// Moves everything into this many buckets, which must be more. Calls key_of(number) for every number, some
  /// time after hint(number). On bad_alloc nothing has changed.
  template <class KeyOf, class Hint>
  void grow(std::uint32_t bucket_count, const KeyOf& key_of, const Hint& hint) {
    grow_into(Memory(bucket_count * bucket_bytes, Memory::Pages::at_once), bucket_count, key_of, hint);
  }
  /// Likewise, into memory that is large enough and zero where the buckets will be. Returns what it had before.
  template <class KeyOf, class Hint>
  [[gnu::noinline]] Memory grow_into(Memory memory, std::uint32_t bucket_count, const KeyOf& key_of,
                                     const Hint& hint) {
    Memory old = std::exchange(memory_, std::move(memory));
    const std::uint32_t old_count = std::exchange(bucket_count_, bucket_count);

    const auto* bucket = reinterpret_cast<const detail::Bucket*>(old.data());
    std::array<StateId, rehash_batch + detail::Bucket::entries> pending;
    std::size_t waiting = 0;
    const auto move_in = [&] {
      for (std::size_t i = 0; i < waiting; ++i) enter(key_of(pending[i]), pending[i]);
      waiting = 0;
    };
    for (std::uint32_t b = 0; b < old_count; ++b, ++bucket) {
      for (unsigned i = 0; i < bucket->used; ++i) {
        pending[waiting++] = bucket->id[i];
        hint(bucket->id[i]);
      }
      if (waiting >= rehash_batch) move_in();
    }
    move_in();
    return old;
  }

  /// Forgets everything, and gives the memory away.
  Memory clear() {
    bucket_count_ = count_ = 0;
    return std::exchange(memory_, Memory());
  }

 private:
  static constexpr std::size_t rehash_batch = 64;

  std::uint64_t room() const { return std::uint64_t{bucket_count_} * detail::Bucket::entries; }
  detail::Bucket* buckets() const { return reinterpret_cast<detail::Bucket*>(memory_.data()); }
  [[gnu::always_inline]] std::size_t home(Key key) const {
    return static_cast<std::size_t>(std::uint64_t{key.home} * bucket_count_ >> 32);
  }
  [[gnu::always_inline]] std::size_t next(std::size_t b) const { return b + 1 == bucket_count_ ? 0 : b + 1; }

  template <class Same>
  [[gnu::always_inline]] static StateId find_in(const detail::Bucket& bucket, Key key, const Same& same) {
    for (unsigned mask = bucket.matches(key.tag); mask != 0; mask &= mask - 1) {
      const StateId id = bucket.id[std::countr_zero(mask)];
      if (same(id)) return id;
    }
    return no_state;
  }

  void enter(Key key, StateId id) {
    std::size_t b = home(key);
    while (buckets()[b].full()) b = next(b);
    buckets()[b].add(key.tag, id);
  }

  Memory memory_;
  std::uint32_t bucket_count_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace tideline
