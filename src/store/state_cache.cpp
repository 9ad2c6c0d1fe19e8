#include "store/state_cache.hpp"

#include <iterator>
#include <utility>

namespace tideline {

namespace {

constexpr std::pair<Replacement, std::string_view> names[] = {{Replacement::random, "random"},
                                                              {Replacement::oldest, "oldest"},
                                                              {Replacement::unmet, "unmet"},
                                                              {Replacement::rare, "rare"}};

}  // namespace

std::string_view to_string(Replacement replacement) {
  return std::ranges::find(names, replacement, &std::pair<Replacement, std::string_view>::first)->second;
}

std::optional<Replacement> replacement_from(std::string_view name) {
  const auto* const found = std::ranges::find(names, name, &std::pair<Replacement, std::string_view>::second);
  if (found == std::end(names)) return std::nullopt;
  return found->first;
}

}  // namespace tideline
