// StateTable: what an algorithm needs from the table that holds its states, and nothing more.
//
// A table is a set of packed states that numbers them in the order in which they came. Algorithms are
// templates over this concept; tables for layers, threads, compressed or spilled states implement it.
//
//   t.insert(state, hash)      adds the state unless it is there; returns its number and whether it is new
//   t.find(state, hash)        its number, or no_state
//   t.state(id)                the packed bytes; they stay until the next call
//   t.reader()                 a thing with state(id) of its own, for other threads, or when the search is over
//   t.size()                   numbers in use are 0 .. size() - 1, in order of insertion
//   t.hash(state)              the hash to be passed to the functions above; fastest for successors of the
//                              state read last
//   t.prefetch_index(hash)     a hint, some tens of operations ahead of insert or find
//   t.prefetch_state(hash)     a second hint between the first and the call: the state most likely compared
//   t.memory_bytes()           what the table occupies
//
// The two hints are what makes a table far larger than the cache fast: the caller collects a batch, hints for
// all of it, hints again, and only then inserts. Numbers have 32 bits, so a table holds at most 2^32 - 1
// states; an insertion into a full table returns no_state and changes nothing.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tideline {

using StateId = std::uint32_t;
inline constexpr StateId no_state = ~StateId{0};

struct Insertion {
  StateId id = no_state;  ///< no_state: the table is full
  bool inserted = false;  ///< the state was not there before
};

template <class T>
concept StateTable = requires(T& table, const T& view, const std::byte* state, std::uint64_t hash,
                              StateId id) {
  { table.insert(state, hash) } -> std::same_as<Insertion>;
  { table.find(state, hash) } -> std::same_as<StateId>;
  { table.state(id) } -> std::same_as<const std::byte*>;
  { view.reader().state(id) } -> std::same_as<const std::byte*>;
  { view.size() } -> std::convertible_to<std::uint64_t>;
  { table.hash(state) } -> std::same_as<std::uint64_t>;
  table.prefetch_index(hash);
  table.prefetch_state(hash);
  { view.memory_bytes() } -> std::convertible_to<std::uint64_t>;
};

}  // namespace tideline
