#include "progress/value_order.hpp"

#include <algorithm>
#include <optional>

namespace tideline {

ValueOrder natural_order(std::size_t values) {
  ValueOrder order;
  for (std::size_t v = 0; v < values; ++v) order.place.push_back(order.places++);
  return order;
}

ValueOrder reversed_order(std::size_t values) {
  ValueOrder order = natural_order(values);
  std::reverse(order.place.begin(), order.place.end());
  return order;
}

std::uint64_t regress_weight(const ValueChanges& changes, const ValueOrder& order) {
  std::uint64_t weight = 0;
  for (std::size_t from = 0; from < changes.values(); ++from)
    for (std::size_t to = 0; to < changes.values(); ++to)
      if (order.place[to] < order.place[from]) weight += changes.weight(from, to);
  return weight;
}

namespace {

/// A set of values for each value.
class ValueSets {
 public:
  explicit ValueSets(std::size_t values) : words_(values / 64 + 1), bits_(values * words_) {}

  void add(std::size_t of, std::size_t value) { bits_[of * words_ + value / 64] |= bit(value); }
  bool has(std::size_t of, std::size_t value) const {
    return (bits_[of * words_ + value / 64] & bit(value)) != 0;
  }
  void unite(std::size_t of, std::size_t other) {
    for (std::size_t i = 0; i < words_; ++i) bits_[of * words_ + i] |= bits_[other * words_ + i];
  }

 private:
  static std::uint64_t bit(std::size_t value) { return std::uint64_t{1} << value % 64; }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Which values can be reached from which, by any number of changes.
ValueSets reached_from(const ValueChanges& changes) {
  ValueSets reached(changes.values());
  for (std::size_t from = 0; from < changes.values(); ++from)
    for (std::size_t to = 0; to < changes.values(); ++to)
      if (changes.weight(from, to) != 0) reached.add(from, to);
  for (std::size_t over = 0; over < changes.values(); ++over)
    for (std::size_t from = 0; from < changes.values(); ++from)
      if (reached.has(from, over)) reached.unite(from, over);
  return reached;
}

constexpr std::uint32_t no_place = ~std::uint32_t{0};

/// The greedy part: sources to the front, sinks to the back, else the value with the largest gain.
class GreedySequence {
 public:
  explicit GreedySequence(const ValueChanges& changes)
      : changes_(changes), taken_(changes.values()), out_(changes.values()), in_(changes.values()) {
    for (std::size_t from = 0; from < changes.values(); ++from)
      for (std::size_t to = 0; to < changes.values(); ++to)
        if (from != to) {
          out_[from] += static_cast<std::int64_t>(changes.weight(from, to));
          in_[to] += static_cast<std::int64_t>(changes.weight(from, to));
        }
  }

  std::vector<std::size_t> run() {
    std::vector<std::size_t> front, back;
    for (std::size_t i = 0; i < changes_.values(); ++i) {
      if (const auto source = first_without(in_)) {
        take(*source, front);
      } else if (const auto sink = first_without(out_)) {
        take(*sink, back);
      } else {
        take(most_generous(), front);
      }
    }
    front.insert(front.end(), back.rbegin(), back.rend());
    return front;
  }

 private:
  std::optional<std::size_t> first_without(const std::vector<std::int64_t>& weights) const {
    for (std::size_t v = 0; v < weights.size(); ++v)
      if (!taken_[v] && weights[v] == 0) return v;
    return std::nullopt;
  }
  std::size_t most_generous() const {
    std::optional<std::size_t> best;
    for (std::size_t v = 0; v < out_.size(); ++v)
      if (!taken_[v] && (!best || out_[v] - in_[v] > out_[*best] - in_[*best])) best = v;
    return *best;
  }
  void take(std::size_t value, std::vector<std::size_t>& sequence) {
    taken_[value] = true;
    sequence.push_back(value);
    for (std::size_t v = 0; v < out_.size(); ++v) {
      if (v == value) continue;
      in_[v] -= static_cast<std::int64_t>(changes_.weight(value, v));
      out_[v] -= static_cast<std::int64_t>(changes_.weight(v, value));
    }
  }

  const ValueChanges& changes_;
  std::vector<bool> taken_;
  std::vector<std::int64_t> out_, in_;
};

/// Moves the value at `index` to where the fewest changes go back; false: it stays.
bool move_to_best(const ValueChanges& changes, std::vector<std::size_t>& sequence, std::size_t index) {
  const std::size_t value = sequence[index];
  std::int64_t best = 0, cost = 0;
  std::size_t best_index = index;
  const auto gain = [&](std::size_t first, std::size_t second) {
    return static_cast<std::int64_t>(changes.weight(first, second)) -
           static_cast<std::int64_t>(changes.weight(second, first));
  };
  for (std::size_t i = index; i-- > 0;) {
    cost += gain(sequence[i], value);
    if (cost < best) best = cost, best_index = i;
  }
  cost = 0;
  for (std::size_t i = index + 1; i < sequence.size(); ++i) {
    cost += gain(value, sequence[i]);
    if (cost < best) best = cost, best_index = i;
  }
  if (best_index == index) return false;
  sequence.erase(sequence.begin() + static_cast<std::ptrdiff_t>(index));
  sequence.insert(sequence.begin() + static_cast<std::ptrdiff_t>(best_index), value);
  return true;
}

}  // namespace

ValueOrder scc_order(const ValueChanges& changes) {
  const std::size_t values = changes.values();
  const ValueSets reached = reached_from(changes);
  const auto is_before = [&](std::size_t a, std::size_t b) {
    return reached.has(a, b) && !reached.has(b, a);
  };
  std::vector<std::size_t> waits_for(values);  // how many values without a place are before it
  for (std::size_t a = 0; a < values; ++a)
    for (std::size_t b = 0; b < values; ++b)
      if (is_before(a, b)) ++waits_for[b];
  ValueOrder order{.place = std::vector<std::uint32_t>(values, no_place)};
  // Of the SCCs that wait for none the one with the smallest value comes next.
  const auto next = [&] {
    std::size_t value = 0;
    while (value < values && (order.place[value] != no_place || waits_for[value] != 0)) ++value;
    return value;
  };
  for (std::size_t value; (value = next()) < values; ++order.places)
    for (std::size_t other = 0; other < values; ++other) {
      if (other != value && !(reached.has(value, other) && reached.has(other, value))) continue;
      order.place[other] = order.places;
      for (std::size_t later = 0; later < values; ++later)
        if (is_before(other, later)) --waits_for[later];
    }
  return order;
}

ValueOrder feedback_order(const ValueChanges& changes) {
  std::vector<std::size_t> sequence = GreedySequence(changes).run();
  constexpr int most_rounds = 20;
  bool moved = true;
  for (int round = 0; moved && round < most_rounds; ++round) {
    moved = false;
    for (std::size_t i = 0; i < sequence.size(); ++i) moved = move_to_best(changes, sequence, i) || moved;
  }
  ValueOrder order{.place = std::vector<std::uint32_t>(sequence.size())};
  for (const std::size_t value : sequence) order.place[value] = order.places++;
  return order;
}

}  // namespace tideline
