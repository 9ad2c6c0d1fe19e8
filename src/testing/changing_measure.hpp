// For tests: a sweep over an explicit graph whose measure is changed again and again.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/system.hpp"
#include "progress/adviser.hpp"
#include "progress/measured.hpp"

namespace tideline::test {

/// A system whose state is one byte. The first byte of a packed state of an ExplicitGraph tells its nodes
/// apart, so measures of this system are arbitrary measures of the nodes.
inline System byte_system() {
  System system;
  system.slots = {{.name = "n", .range = byte_range}};
  system.variables = {{.name = "n"}};
  system.initial = {0};
  return system;
}

/// Every value has a place of its own choice.
inline Measure arbitrary_byte_measure(const System& system) {
  const auto places = *rc::gen::inRange<std::size_t>(1, 12);
  std::vector<std::vector<std::int32_t>> order(places);
  for (std::int32_t value = 0; value < 256; ++value)
    order[*rc::gen::resize(1000, rc::gen::inRange<std::size_t>(0, places))].push_back(value);
  std::erase_if(order, [](const auto& group) { return group.empty(); });
  return {system, {slot_term(system, 0, std::move(order))}};
}

/// Has another measure whenever it is asked, for as long as there are some.
class Changes final : public MeasureAdviser {
 public:
  explicit Changes(std::vector<Measure> measures) : measures_(std::move(measures)) {}

  std::optional<Measure> better(const Measure&, const SweepExperience&, Budget&) override {
    return next_ < measures_.size() ? std::optional(measures_[next_++]) : std::nullopt;
  }
  Measure read(const std::string& text) const override {
    return *std::ranges::find(measures_, text, &Measure::text);
  }
  std::uint64_t& looks() override { return next_; }

 private:
  std::vector<Measure> measures_;
  std::uint64_t next_ = 0;
};

inline std::vector<Measure> arbitrary_changes(const System& system) {
  std::vector<Measure> measures;
  for (auto left = *rc::gen::inRange(0, 9); left > 0; --left)
    measures.push_back(arbitrary_byte_measure(system));
  return measures;
}

}  // namespace tideline::test
