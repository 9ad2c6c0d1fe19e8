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

/// A row with larger numbers is dropped: they come from long chains of combinations that give poor bounds.
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

/// a * x + b * y; nothing when a number is too large.
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
      : work_(work),
        changed_by_(net.transitions.size()),
        positive_(net.transitions.size()),
        negative_(net.transitions.size()) {
    std::vector<Row> rows(net.places.size());
    for (PlaceId p = 0; p < net.places.size(); ++p) rows[p].places = {{p, 1}};
    for (TransitionId t = 0; t < net.transitions.size(); ++t) {
      // A transition that empties a place takes at least what it consumes: the change is at most this one.
      for (const Arc& a : net.transitions[t].consumes) change(rows[a.place], t, -std::int64_t{a.weight});
      for (const Arc& a : net.transitions[t].produces) change(rows[a.place], t, a.weight);
    }
    for (Row& row : rows) {
      std::erase_if(row.changes, [](const auto& entry) { return entry.second == 0; });
      add(std::move(row));
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
      const auto increased = [](const auto& entry) { return entry.second > 0; };
      if (row.places.empty() || std::ranges::any_of(row.changes, increased)) continue;
      SubInvariant invariant;
      for (const auto& [place, weight] : row.places)
        if (weight <= most_tokens) invariant.weights.push_back({place, static_cast<std::uint32_t>(weight)});
      if (invariant.weights.size() == row.places.size()) found.push_back(std::move(invariant));
    }
    return found;
  }

 private:
  static void change(Row& row, TransitionId transition, std::int64_t by) {
    if (!row.changes.empty() && row.changes.back().first == transition)
      row.changes.back().second += by;
    else
      row.changes.emplace_back(transition, by);
  }

  void add(Row row) {
    for (const auto& [transition, value] : row.changes) {
      ++(value > 0 ? positive_ : negative_)[transition];
      changed_by_[transition].push_back(static_cast<std::uint32_t>(rows_.size()));
    }
    rows_.push_back(std::move(row));
    ++alive_;
  }

  /// Leaves an empty row behind: the numbers of others stay.
  void drop(Row& row) {
    for (const auto& [transition, value] : row.changes) --(value > 0 ? positive_ : negative_)[transition];
    row = {};
    --alive_;
  }

  /// The transition that some row increases and whose elimination makes the fewest new rows.
  std::optional<TransitionId> cheapest() {
    std::optional<TransitionId> best;
    const auto cost = [&](TransitionId t) {
      return static_cast<std::int64_t>(std::uint64_t{positive_[t]} * negative_[t]) - positive_[t];
    };
    for (TransitionId t = 0; t < positive_.size(); ++t)
      if (positive_[t] != 0 && (!best || cost(t) < cost(*best))) best = t;
    spent_ += positive_.size() / 8;
    return best;
  }

  /// Afterwards the transition increases no row.
  void eliminate(TransitionId transition) {
    std::vector<std::uint32_t> positive, negative;
    for (const std::uint32_t r : changed_by_[transition]) {
      const std::int64_t value = at(rows_[r].changes, transition);
      if (value != 0) (value > 0 ? positive : negative).push_back(r);
    }
    spent_ += changed_by_[transition].size();
    std::ranges::stable_sort(negative, {}, [&](std::uint32_t r) { return rows_[r].places.size(); });
    if (!positive.empty())
      negative.resize(std::min(negative.size(), std::max<std::size_t>(1, most_pairs / positive.size())));
    std::map<Sparse, Row> fresh;
    for (const std::uint32_t p : positive)
      for (const std::uint32_t n : negative) {
        if (spent_ > work_) break;
        spent_ += rows_[p].changes.size() + rows_[n].changes.size() + rows_[p].places.size() +
                  rows_[n].places.size();
        if (auto combined = cancel(rows_[p], rows_[n], transition))
          fresh.try_emplace(combined->places, std::move(*combined));
      }
    for (const std::uint32_t p : positive) drop(rows_[p]);
    for (auto& [places, row] : fresh) add(std::move(row));
    if (alive_ > most_rows_) drop_largest();
  }

  void drop_largest() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < rows_.size(); ++r)
      if (!rows_[r].places.empty()) order.push_back(r);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t r) { return rows_[r].places.size(); });
    spent_ += order.size();
    for (std::size_t i = most_rows_ / 2; i < order.size(); ++i) drop(rows_[order[i]]);
  }

  std::uint64_t work_;
  std::uint64_t spent_ = 0;
  std::size_t most_rows_ = 0;
  std::size_t alive_ = 0;
  std::vector<Row> rows_;                               ///< empty ones are gone
  std::vector<std::vector<std::uint32_t>> changed_by_;  ///< by transition: rows, some of them gone
  std::vector<std::uint32_t> positive_;                 ///< by transition: how many rows it increases
  std::vector<std::uint32_t> negative_;
};

}  // namespace

std::vector<SubInvariant> sub_invariants(const Net& net, std::uint64_t work) {
  return Elimination(net, work).run();
}

namespace {

std::vector<std::uint32_t> structural_bounds(const Net& net, std::uint64_t work) {
  std::vector<std::uint32_t> bounds(net.places.size(), static_cast<std::uint32_t>(most_tokens));
  for (const SubInvariant& invariant : sub_invariants(net, work)) {
    // Capped: a sum this large gives no useful bound.
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

}  // namespace

std::vector<std::uint32_t> token_bounds(const Net& net) {
  if (net.safe && std::ranges::all_of(net.places, [](const Place& p) { return p.initial <= 1; }))
    return std::vector<std::uint32_t>(net.places.size(), 1);
  return structural_bounds(net, most_work);
}

bool is_proven_safe(const Net& net) {
  constexpr std::uint64_t little_work = most_work / 10;  // it is done for every net that claims to be safe
  return std::ranges::all_of(structural_bounds(net, little_work),
                             [](std::uint32_t bound) { return bound <= 1; });
}

}  // namespace tideline::pnml
