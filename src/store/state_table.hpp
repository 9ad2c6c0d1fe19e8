// StateSet and StateTable: what an algorithm needs from the table that holds its states, and nothing more.
//
// A set of packed states numbers them in the order in which they came. Algorithms are templates over these
// concepts; tables for layers, threads, compressed or spilled states implement them.
//
//   t.insert(state, hash)      adds the state unless it is there; returns whether it is new, and its number if so
//   t.state(id)                the packed bytes; they stay until the next call
//   t.size()                   numbers in use are 0 .. size() - 1, in order of insertion
//   t.hash(state)              the hash to be passed to the functions above; fastest for successors of the
//                              state read last
//   t.prefetch_index(hash)     a hint, some tens of operations ahead of insert or find
//   t.prefetch_state(hash)     a second hint between the first and the call: the state most likely compared
//   t.memory_bytes()           what the table occupies
//
// A set may have t.expect(id): this state will be read soon; and t.drop(range): these states will not be read any
// more. It need not know the numbers of states that are in it. A table does; insert returns the number of a state that was there as well, and there is
//
//   t.find(state, hash)        its number, or no_state
//
// The two hints are what makes a table far larger than the cache fast: the caller collects a batch, hints for
// all of it, hints again, and only then inserts. Numbers have 32 bits, so a table holds at most 2^32 - 1
// states; an insertion into a full table returns no_state and changes nothing.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tideline {

using StateId = std::uint32_t;
inline constexpr StateId no_state = ~StateId{0};

struct Insertion {
  StateId id = no_state;  ///< no_state: the table is full
  bool inserted = false;  ///< the state was not there before
};

/// Consecutive states: first, first + 1, ...
struct StateRange {
  StateId first = 0;
  std::uint32_t count = 0;
};

/// What a table calls the hash of a state: a number, unless the table says otherwise.
template <class T>
using HashOf = std::remove_cvref_t<decltype(std::declval<T&>().hash(nullptr))>;

template <class T>
concept StateSet = requires(T& table, const T& view, const std::byte* state, HashOf<T> hash, StateId id) {
  { table.insert(state, hash) } -> std::same_as<Insertion>;
  { table.state(id) } -> std::same_as<const std::byte*>;
  { view.size() } -> std::convertible_to<std::uint64_t>;
  table.prefetch_index(hash);
  table.prefetch_state(hash);
  { view.memory_bytes() } -> std::convertible_to<std::uint64_t>;
};

template <class T>
concept StateTable = StateSet<T> && requires(T& table, const std::byte* state, HashOf<T> hash) {
  { table.find(state, hash) } -> std::same_as<StateId>;
};

}  // namespace tideline
