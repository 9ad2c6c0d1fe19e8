// Orders of the values of a slot, learnt from how the values follow each other.
//
// The changes of a slot along the edges of a sample are a graph of its values, weighted by how often each
// change happens. A good order has few changes that go back:
//
//   SCCs        values that can come back to each other share a place, the others are in topological order.
//               No change goes back; a slot that cycles through all its values has one place only.
//   feedback    every value has a place of its own, and the weight of the changes that go back is small:
//               P. Eades, X. Lin, W. F. Smyth: A fast and effective heuristic for the feedback arc set
//               problem, 1993, then moving single values for as long as that helps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tideline {

/// How often a slot changes from one value to another; values are ranks from 0 on.
class ValueChanges {
 public:
  explicit ValueChanges(std::size_t values) : values_(values), weight_(values * values) {}

  void add(std::size_t from, std::size_t to) { ++weight_[from * values_ + to]; }
  std::size_t values() const { return values_; }
  std::uint64_t weight(std::size_t from, std::size_t to) const { return weight_[from * values_ + to]; }

 private:
  std::size_t values_;
  std::vector<std::uint32_t> weight_;
};

/// The place of each value; several values may share one.
struct ValueOrder {
  std::vector<std::uint32_t> place = {};  ///< by value
  std::uint32_t places = 0;
  bool operator==(const ValueOrder&) const = default;
};

ValueOrder natural_order(std::size_t values);
ValueOrder reversed_order(std::size_t values);
ValueOrder scc_order(const ValueChanges& changes);
ValueOrder feedback_order(const ValueChanges& changes);

/// The weight of the changes to an earlier place.
std::uint64_t regress_weight(const ValueChanges& changes, const ValueOrder& order);

}  // namespace tideline
