// Shared by tests: models from text, and a search that is too simple to be wrong.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "exec/reference.hpp"
#include "lang/lang.hpp"

namespace tideline::dve {

inline Model model_of(std::string text, const LoadOptions& options = {}) {
  return read_model({"test.dve", std::move(text)}, options);
}

inline System system_of(std::string text, const LoadOptions& options = {}) {
  return model_of(std::move(text), options).system;
}

/// What is wrong with a text: the rendered messages, empty when it is fine.
inline std::string error_of(std::string text) {
  try {
    model_of(std::move(text));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

struct StateSpace {
  std::set<Values> states;
  std::size_t edges = 0;
  std::size_t deadlocks = 0;
  std::vector<ModelError> errors;
};

/// All reachable states, one after another.
inline StateSpace explore(const System& system, ErrorSemantics semantics = ErrorSemantics::stop) {
  const Reference reference(system, semantics);
  StateSpace space;
  std::vector<Values> open{system.initial};
  space.states.insert(system.initial);
  while (!open.empty()) {
    const Values state = std::move(open.back());
    open.pop_back();
    const auto enabled = reference.enabled(state);
    space.deadlocks += enabled.empty();
    for (const ActionId action : enabled) {
      ++space.edges;
      const auto step = reference.fire(action, state);
      if (step.error.kind != ModelErrorKind::none) {
        space.errors.push_back(step.error);
        if (semantics == ErrorSemantics::stop) continue;
      }
      if (space.states.insert(step.state).second) open.push_back(step.state);
    }
  }
  return space;
}

}  // namespace tideline::dve
