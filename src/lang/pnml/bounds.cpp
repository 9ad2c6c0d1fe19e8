#include "lang/pnml/bounds.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace tideline::pnml {

namespace {

/// A vector of which few entries are not zero, sorted by index.
using Sparse = std::vector<std::pair<std::uint32_t, std::int64_t>>;

/// Numbers beyond this end a row: they come from long chains of combinations that bound nothing well.
constexpr std::int64_t largest_number = std::int64_t{1} << 40;
constexpr std::size_t most_pairs = 20'000;

/// A combination of places, and by how much each transition changes it.
struct Row {
  Sparse places;
  Sparse changes;
};

std::int64_t at(const Sparse& vector, std::uint32_t index) {
  const auto found = std::ranges::lower_bound(vector, index, {}, &Sparse::value_type::first);
  return found != vector.end() && found->first == index ? found->second : 0;
}

/// a * x + b * y; none where a number is too large.
std::optional<Sparse> combine(const Sparse& x, std::int64_t a, const Sparse& y, std::int64_t b) {
  Sparse result;
  result.reserve(x.size() + y.size());
  auto i = x.begin();
  auto j = y.begin();
  while (i != x.end() || j != y.end()) {
    const bool left = j == y.end() || (i != x.end() && i->first <= j->first);
    const bool right = i == x.end() || (j != y.end() && j->first <= i->first);
    const std::uint32_t index = left ? i->first : j->first;
    const std::int64_t value = (left ? a * i->second : 0) + (right ? b * j->second : 0);
    if (value > largest_number || value < -largest_number) return std::nullopt;
    if (value != 0) result.emplace_back(index, value);
    if (left) ++i;
    if (right) ++j;
  }
  return result;
}

std::optional<Row> cancel(const Row& positive, const Row& negative, std::uint32_t transition) {
  const std::int64_t p = at(positive.changes, transition);
  const std::int64_t n = -at(negative.changes, transition);
  const std::int64_t common = std::gcd(p, n);
  if (p / common > (1 << 20) || n / common > (1 << 20)) return std::nullopt;
  auto places = combine(positive.places, n / common, negative.places, p / common);
  auto changes = combine(positive.changes, n / common, negative.changes, p / common);
  if (!places || !changes) return std::nullopt;
  Row row{std::move(*places), std::move(*changes)};
  std::int64_t divisor = 0;
  for (const auto& [index, value] : row.places) divisor = std::gcd(divisor, value);
  for (auto& entry : row.places) entry.second /= divisor;
  for (auto& entry : row.changes) entry.second /= divisor;
  return row;
}

class Elimination {
 public:
  Elimination(const Net& net, std::uint64_t work)
      : work_(work), positive_(net.transitions.size()), negative_(net.transitions.size()) {
    rows_.resize(net.places.size());
    for (PlaceId p = 0; p < net.places.size(); ++p) rows_[p].places = {{p, 1}};
    for (TransitionId t = 0; t < net.transitions.size(); ++t) {
      // A transition that empties a place takes at least what it consumes: the change is at most this one.
      for (const Arc& a : net.transitions[t].consumes) change(a.place, t, -std::int64_t{a.weight});
      for (const Arc& a : net.transitions[t].produces) change(a.place, t, a.weight);
    }
    for (Row& row : rows_) {
      std::erase_if(row.changes, [](const auto& entry) { return entry.second == 0; });
      count(row, 1);
    }
    most_rows_ = 4 * rows_.size() + 1000;
  }

  std::vector<SubInvariant> run() {
    while (const auto transition = cheapest()) {
      eliminate(*transition);
      if (spent_ > work_) break;
    }
    std::vector<SubInvariant> found;
    for (const Row& row : rows_) {
      if (std::ranges::any_of(row.changes, [](const auto& entry) { return entry.second > 0; })) continue;
      SubInvariant invariant;
      for (const auto& [place, weight] : row.places)
        if (weight <= most_tokens) invariant.weights.push_back({place, static_cast<std::uint32_t>(weight)});
      if (invariant.weights.size() == row.places.size()) found.push_back(std::move(invariant));
    }
    return found;
  }

 private:
  void change(PlaceId place, TransitionId transition, std::int64_t by) {
    Sparse& changes = rows_[place].changes;
    if (!changes.empty() && changes.back().first == transition)
      changes.back().second += by;
    else
      changes.emplace_back(transition, by);
  }

  void count(const Row& row, int by) {
    for (const auto& [transition, value] : row.changes)
      (value > 0 ? positive_ : negative_)[transition] += static_cast<std::uint32_t>(by);
  }

  /// The transition that some row increases and whose elimination makes the fewest new rows.
  std::optional<TransitionId> cheapest() {
    std::optional<TransitionId> best;
    const auto cost = [&](TransitionId t) {
      return static_cast<std::int64_t>(std::uint64_t{positive_[t]} * negative_[t]) - positive_[t];
    };
    for (TransitionId t = 0; t < positive_.size(); ++t)
      if (positive_[t] != 0 && (!best || cost(t) < cost(*best))) best = t;
    spent_ += positive_.size();
    return best;
  }

  /// Afterwards no row increases the transition.
  void eliminate(TransitionId transition) {
    std::vector<Row> positive, negative, kept;
    for (Row& row : rows_) {
      const std::int64_t value = at(row.changes, transition);
      (value > 0 ? positive : value < 0 ? negative : kept).push_back(std::move(row));
    }
    spent_ += rows_.size();
    for (const Row& row : positive) count(row, -1);
    const auto size = [](const Row& row) { return row.places.size(); };
    std::ranges::stable_sort(negative, {}, size);
    const std::size_t partners =
        positive.empty() ? 0
                         : std::max<std::size_t>(1, std::min(negative.size(), most_pairs / positive.size()));
    std::map<Sparse, Row> fresh;
    for (const Row& row : positive)
      for (std::size_t i = 0; i < std::min(partners, negative.size()) && spent_ <= work_; ++i) {
        spent_ +=
            row.changes.size() + negative[i].changes.size() + row.places.size() + negative[i].places.size();
        if (auto combined = cancel(row, negative[i], transition))
          fresh.try_emplace(combined->places, std::move(*combined));
      }
    for (auto& [key, row] : fresh) {
      count(row, 1);
      kept.push_back(std::move(row));
    }
    for (Row& row : negative) kept.push_back(std::move(row));
    rows_ = std::move(kept);
    if (rows_.size() <= most_rows_) return;
    std::ranges::stable_sort(rows_, {}, size);
    for (std::size_t i = most_rows_; i < rows_.size(); ++i) count(rows_[i], -1);
    rows_.resize(most_rows_);
  }

  std::uint64_t work_;
  std::uint64_t spent_ = 0;
  std::size_t most_rows_ = 0;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> positive_;  ///< by transition: how many rows it increases
  std::vector<std::uint32_t> negative_;
};

}  // namespace

std::vector<SubInvariant> sub_invariants(const Net& net, std::uint64_t work) {
  return Elimination(net, work).run();
}

std::vector<std::uint32_t> token_bounds(const Net& net) {
  std::vector<std::uint32_t> bounds(net.places.size(), static_cast<std::uint32_t>(most_tokens));
  if (net.safe && std::ranges::all_of(net.places, [](const Place& p) { return p.initial <= 1; })) {
    std::ranges::fill(bounds, 1);
    return bounds;
  }
  for (const SubInvariant& invariant : sub_invariants(net)) {
    // Capped: a sum as large bounds nothing.
    constexpr std::uint64_t largest = std::uint64_t{1} << 62;
    std::uint64_t sum = 0;
    for (const Arc& w : invariant.weights)
      sum = std::min(largest, sum + std::uint64_t{w.weight} * net.places[w.place].initial);
    if (sum == largest) continue;
    for (const Arc& w : invariant.weights)
      if (sum / w.weight < bounds[w.place]) bounds[w.place] = static_cast<std::uint32_t>(sum / w.weight);
  }
  return bounds;
}

}  // namespace tideline::pnml
