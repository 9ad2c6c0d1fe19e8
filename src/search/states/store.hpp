// How bfs and dfs keep states: the words of --store.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tideline {

enum class Store : std::uint8_t {
  automatic,  ///< plain, and tree when these states have nearly filled the memory (StoreChange)
  plain,      ///< each as its bytes: fastest
  tree,  ///< the parts that states have in common once: a few bytes a state, however wide (store/tree_table.hpp)
  hash,  ///< their hashes alone: proves nothing (store/hashed_states.hpp)
  disk,  ///< on disk what memory has no room for: bfs only (search/states/disk_bfs.hpp)
};

struct StoreWord {
  std::string_view word;
  Store store;
};
inline constexpr auto store_words = std::to_array<StoreWord>({{"auto", Store::automatic},
                                                              {"plain", Store::plain},
                                                              {"tree", Store::tree},
                                                              {"hash", Store::hash},
                                                              {"disk", Store::disk}});

inline std::vector<std::string> all_store_words() {
  std::vector<std::string> words;
  for (const StoreWord& row : store_words) words.emplace_back(row.word);
  return words;
}
inline std::optional<Store> store_from(std::string_view word) {
  const auto row = std::ranges::find(store_words, word, &StoreWord::word);
  if (row == store_words.end()) return std::nullopt;
  return row->store;
}
inline std::string_view to_string(Store store) {
  return std::ranges::find(store_words, store, &StoreWord::store)->word;
}

/// When breadth-first search changes from plain states to trees, with Store::automatic.
struct StoreChange {
  /// As soon as its states take so many bytes; nothing: it does not.
  std::optional<std::uint64_t> from_bytes = {};
  /// If they take this part of it in a tree, at most.
  double part = 0.5;
  /// Told how many states have been moved, and how many bytes they take then, of how many before.
  std::function<void(std::uint64_t states, std::uint64_t bytes, std::uint64_t before)> on_change = {};
};

}  // namespace tideline
