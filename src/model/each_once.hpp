// Lists in which everything stands once.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace tideline {

/// Sorts a list, and keeps one of those that are equal, the first; `by` says what of them is compared.
template <class T, class By = std::identity>
void keep_each_once(std::vector<T>& list, const By& by = {}) {
  std::ranges::stable_sort(list, {}, by);
  const auto equal = [&](const T& a, const T& b) { return std::invoke(by, a) == std::invoke(by, b); };
  list.erase(std::unique(list.begin(), list.end(), equal), list.end());
}

}  // namespace tideline
