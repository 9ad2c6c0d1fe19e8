#include "checking/store_choice.hpp"

#include <algorithm>

namespace tideline {

namespace {

constexpr std::size_t wide_state = 64;              // bytes
constexpr std::uint64_t few_million = 20'000'000;   // states
constexpr std::uint64_t beside_a_plain_state = 10;  // bytes: its place in the index

}  // namespace

Store store_for(std::size_t state_bytes, std::optional<std::uint64_t> memory_bytes) {
  if (state_bytes < wide_state || !memory_bytes) return Store::automatic;
  return *memory_bytes / (state_bytes + beside_a_plain_state) < few_million ? Store::tree : Store::automatic;
}

std::uint64_t full_from(std::uint64_t memory_bytes) {
  return memory_bytes / 4 * 3;
}

std::optional<std::uint64_t> memory_at_hand(const Budget& budget) {
  const std::optional<std::uint64_t> available = available_bytes();
  if (!budget.memory_limit()) return available;
  const std::uint64_t now = resident_bytes(), limit = *budget.memory_limit();
  const std::uint64_t allowed = limit > now ? limit - now : 0;
  return available ? std::min(allowed, *available) : allowed;
}

}  // namespace tideline
