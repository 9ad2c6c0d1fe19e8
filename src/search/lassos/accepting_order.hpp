// The order of the values that states pass on (owcty.hpp): accepting states from which they were reached, of
// which each state keeps the greatest, one or a few of them.
//
// A value is the number of a state plus one, and 0 is none. On several ranks numbers are taken in turn, so that
// there, too, a small one is that of a state that was found early.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace tideline {

/// Which accepting states are passed on: the greatest, where states are ordered by their numbers as follows.
enum class ValueChoice {
  mixed,    ///< a value each: by trailing zeros of the number, then by age; by age; at random
  largest,  ///< the greatest, the second greatest and so on in the first of these orders
  masks,    ///< a value each: by the number xor 0, 0x555, 0xFFFF
  paper,    ///< the same as published: a state takes values from the transition that finds it, and no others
};

class AcceptingOrder {
 public:
  explicit AcceptingOrder(ValueChoice choice) : choice_(choice) {}

  /// Whether a state that is known takes part when a transition leads to it.
  bool known_states_take() const { return choice_ != ValueChoice::paper; }

  /// The place of a value, which has less than 48 bits, in the order by which a state's value `v` is the
  /// greatest; 0 for no value.
  std::uint64_t rank(std::uint64_t value, std::size_t v) const {
    if (value == 0) return 0;
    if (choice_ == ValueChoice::masks || choice_ == ValueChoice::paper) return 1 + (value ^ masks[v]);
    const std::uint64_t age = ~value << value_shift >> value_shift;
    switch (choice_ == ValueChoice::largest ? 0 : v) {
      case 0:
        return (1 + static_cast<std::uint64_t>(std::countr_zero(value))) << (64 - value_shift) | age;
      case 1:
        return 1 + age;
      default:
        return value * 0x9E3779B97F4A7C15u | 1;  // the golden ratio scatters them
    }
  }

  /// Adds a value to those of a state, as far as it is among the greatest.
  template <class Value>
  void add(std::span<Value> values, Value value) const {
    for (std::size_t v = 0; v < values.size(); ++v)
      if (rank(value, v) > rank(values[v], v)) {
        const Value smaller = std::exchange(values[v], value);
        if (choice_ == ValueChoice::largest) value = smaller;
      } else if (choice_ == ValueChoice::largest && value == values[v]) {
        return;
      }
  }
  /// Adds those of another state.
  template <class Value>
  void merge(std::span<Value> values, std::span<const Value> others) const {
    for (std::size_t v = 0; v < values.size(); ++v)
      if (choice_ == ValueChoice::largest)
        add(values, others[v]);
      else if (rank(others[v], v) > rank(values[v], v))
        values[v] = others[v];
  }

 private:
  static constexpr unsigned value_shift = 16;
  static constexpr std::uint64_t masks[] = {0, 0x555, 0xFFFF};

  ValueChoice choice_;
};

}  // namespace tideline
