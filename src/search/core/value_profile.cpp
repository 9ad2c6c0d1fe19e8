#include "search/core/value_profile.hpp"

#include <algorithm>
#include <cmath>

namespace tideline {

namespace {

/// use(value, count) for each different value, ascending.
template <class T, class Use>
void count_equal(std::span<T> values, Use&& use) {
  std::ranges::sort(values);
  for (auto at = values.begin(); at != values.end();) {
    const auto end = std::upper_bound(at, values.end(), *at);
    use(*at, static_cast<std::uint64_t>(end - at));
    at = end;
  }
}

}  // namespace

double entropy_of(std::span<const std::uint64_t> counts) {
  double all = 0, sum = 0;
  for (const std::uint64_t count : counts) {
    if (count == 0) continue;
    const auto weight = static_cast<double>(count);
    all += weight;
    sum += weight * std::log2(weight);
  }
  // A sum of rounded numbers may end a little below 0, or print as -0.
  return all == 0 ? 0 : std::max(0.0, std::log2(all) - sum / all);
}

ValueProfile profile_of(std::span<std::int32_t> values) {
  ValueProfile profile;
  std::vector<std::uint64_t> counts;
  count_equal(values, [&](std::int32_t value, std::uint64_t count) {
    counts.push_back(count);
    auto& top = profile.top;
    const auto rank =
        std::ranges::find_if(top, [&](const auto& entry) { return entry.second < count; }) - top.begin();
    if (static_cast<std::size_t>(rank) == ValueProfile::most_top) return;
    if (top.size() == ValueProfile::most_top) top.pop_back();
    top.insert(top.begin() + rank, {value, count});
  });
  profile.distinct = counts.size();
  profile.entropy = entropy_of(counts);
  return profile;
}

ValueProfile profile_of(std::span<std::uint64_t> fingerprints) {
  std::vector<std::uint64_t> counts;
  count_equal(fingerprints, [&](std::uint64_t, std::uint64_t count) { counts.push_back(count); });
  return {.distinct = counts.size(), .entropy = entropy_of(counts)};
}

}  // namespace tideline
