// One step of a DVE model, as the tests of docs/semantics-dve.md look at it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "exec/reference.hpp"
#include "testing/models.hpp"

namespace tideline::dve {

/// The value of an expression in the initial state.
inline std::int64_t value_of(const std::string& expression, const System& system) {
  return Reference(system).evaluate(parse_expression(system, expression, "test"), system.initial).value;
}

/// A process `P` with states s and t around one transition s -> t.
inline std::string one_step(const std::string& globals, const std::string& body,
                            const std::string& locals = "") {
  return globals + " process P { " + locals + " state s, t; init s; trans s -> t { " + body +
         " }; } system async;";
}

/// The one state a step leads to from the initial state.
inline Values after_one_step(const System& system) {
  const Reference reference(system);
  const auto enabled = reference.enabled(system.initial);
  EXPECT_EQ(enabled.size(), 1u);
  if (enabled.empty()) return system.initial;
  const auto step = reference.fire(enabled[0], system.initial);
  EXPECT_EQ(step.error.kind, ModelErrorKind::none) << step.error.message;
  return step.state;
}

inline std::int32_t slot_in(const System& system, const Values& state, const std::string& name) {
  const auto slot = system.find_slot(name);
  EXPECT_TRUE(slot.has_value()) << name;
  return slot ? state[*slot] : -1;
}

inline ModelErrorKind error_of_step(const System& system) {
  const Reference reference(system);
  const auto enabled = reference.enabled(system.initial);
  EXPECT_EQ(enabled.size(), 1u);
  return enabled.empty() ? ModelErrorKind::none : reference.fire(enabled[0], system.initial).error.kind;
}

inline std::size_t warnings_with(const System& system, const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(system.warnings.begin(), system.warnings.end(),
                    [&](const Diagnostic& w) { return w.message.find(text) != std::string::npos; }));
}

}  // namespace tideline::dve
