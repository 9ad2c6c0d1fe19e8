#include "reduce/opening.hpp"

#include <algorithm>
#include <utility>

#include "exec/interpreter.hpp"

namespace tideline::por {

namespace {

/// By whom the action is taken, as far as one can tell.
ComponentId actor(const Action& action) {
  return action.participants.size() == 1 ? action.participants.front().component : no_component;
}

}  // namespace

Opening::Opening(const System& system, ErrorSemantics errors) {
  // Some milliseconds, and some megabytes.
  const std::size_t most_states = std::min<std::size_t>(10'000, 1'000'000 / (1 + system.slots.size()));
  Interpreter interpreter(Program::compile(system, errors));
  const Layout& layout = interpreter.layout();
  size_ = interpreter.state_size();
  std::vector<std::string> waiting;
  std::unordered_set<std::string> found;
  const auto find = [&](const std::byte* state) {
    std::string packed(reinterpret_cast<const char*>(state), size_);
    if (found.insert(packed).second) waiting.push_back(std::move(packed));
  };
  interpreter.initial(find);
  ComponentId alone = no_component;
  std::vector<std::pair<ActionId, ModelErrorKind>> enabled;
  while (!waiting.empty() && found.size() <= most_states) {
    const std::string packed = std::move(waiting.back());
    waiting.pop_back();
    const auto* const state = reinterpret_cast<const std::byte*>(packed.data());
    enabled.clear();
    bool goes_on = true;
    interpreter.enabled(state, [&](ActionId action, ModelErrorKind error) {
      if (alone == no_component) alone = actor(system.actions[action]);
      goes_on &= alone != no_component && actor(system.actions[action]) == alone;
      enabled.push_back({action, error});
    });
    // Within a step nobody can say that it ends here.
    const bool is_seen =
        system.transient == no_slot || load_field(state, layout.field(system.transient)) == 0;
    if (!goes_on && is_seen) {
      ends_.push_back(layout.unpack(state));
      continue;
    }
    if (is_seen) states_.insert(packed);
    for (const auto& [action, error] : enabled)
      if (const Step step = interpreter.fire(state, action, error); step.state != nullptr) find(step.state);
  }
  if (!waiting.empty() || ends_.empty()) {
    states_.clear();
    ends_ = {system.initial};
  }
}

}  // namespace tideline::por
