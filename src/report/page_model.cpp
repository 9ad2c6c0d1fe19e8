#include "report/page_model.hpp"

#include <algorithm>

#include "report/json_text.hpp"
#include "trace/itf.hpp"

namespace tideline {

namespace {

/// What must be true for the action to be taken, beyond the locations of its participants.
std::string guard_text(const Action& action, const System& system, std::size_t most) {
  Expr guard = Expr::constant(1);
  for (const Participant& participant : action.participants)
    guard = conjunction(std::move(guard), participant.guard);
  guard = conjunction(std::move(guard), action.guard);
  if (guard.is_constant(1)) return {};
  std::string text = to_string(guard, system);
  if (text.size() > most) text = text.substr(0, most) + " ...";
  return text;
}

class Writer {
 public:
  Writer(const Model& model, const PageModelLimits& limits)
      : model_(model), system_(model.system), limits_(limits) {}

  std::string write(const std::string& path) {
    json_.open('{');
    json_.add("name", system_.name);
    json_.add("path", path);
    json_.add("language", system_.language);
    if (!model_.source.text.empty() && model_.source.text.size() <= limits_.source_bytes)
      json_.add("source", model_.source.text);
    add_each("components", system_.components,
             [&](std::size_t i) { component(static_cast<ComponentId>(i)); });
    add_each("slots", system_.slots, [&](std::size_t i) { slot(system_.slots[i]); });
    add_each("variables", system_.variables, [&](std::size_t i) { variable(system_.variables[i]); });
    add_each("channels", system_.channels, [&](std::size_t i) { channel(system_.channels[i]); });
    add_each("actions", system_.actions, [&](std::size_t i) { action(system_.actions[i]); });
    json_.close('}');
    return json_.take();
  }

 private:
  /// A list of objects, one for each of the items.
  template <class Items, class Write>
  void add_each(std::string_view name, const Items& items, const Write& write) {
    json_.key(name);
    json_.open('[');
    for (std::size_t i = 0; i < items.size(); ++i) {
      json_.open('{');
      write(i);
      json_.close('}');
    }
    json_.close(']');
  }

  void component(ComponentId id) {
    const Component& component = system_.components[id];
    json_.add("name", component.name);
    json_.add("initial", component.initial);
    add_each("locations", component.locations, [&](std::size_t i) {
      const Location& location = component.locations[i];
      json_.add("name", location.name);
      json_.add("line", location.where.line);
      if (location.committed) json_.add("committed", true);
    });
    add_each("edges", component.edges, [&](std::size_t i) {
      const ControlEdge& edge = component.edges[i];
      json_.add("from", edge.from);
      json_.add("to", edge.to);
      json_.add("action", edge.action);
      json_.add("line", edge.line);
    });
  }

  void owner(ComponentId id) {
    if (id != no_component) json_.add("component", id);
  }

  void slot(const Slot& slot) {
    json_.add("name", slot.name);
    owner(slot.owner);
    json_.add("kind", system_.variables[slot.variable].is_location ? "location"
                      : system_.language == "pnml"                 ? "place"
                                                                   : "number");
    json_.add("variable", slot.variable);
  }

  void variable(const Variable& variable) {
    json_.add("name", itf_name(system_, variable));
    owner(variable.owner);
    json_.add("first", variable.first);
    json_.add("length", variable.length);
    if (variable.is_array) json_.add("array", true);
    json_.add("line", variable.where.line);
  }

  void channel(const Channel& channel) {
    json_.add("name", channel.name);
    json_.add("capacity", channel.capacity);
    if (channel.length_slot != no_slot) json_.add("length_slot", channel.length_slot);
    json_.list("fields", channel.fields);
    json_.add("line", channel.where.line);
  }

  void action(const Action& action) {
    json_.add("label", action.label);
    json_.add("guard", guard_text(action, system_, limits_.guard_bytes));
    add_each("participants", action.participants, [&](std::size_t i) {
      json_.add("component", action.participants[i].component);
      json_.add("line", action.participants[i].where.line);
    });
    if (action.message) message(*action.message);
    json_.add("line", action.where.line);
    json_.list("reads", action.reads);
    json_.list("writes", action.writes);
  }

  void message(const Message& message) {
    const bool sends = message.sender != no_component, receives = message.receiver != no_component;
    json_.key("message");
    json_.open('{');
    json_.add("channel", message.channel);
    json_.add("kind", sends && receives ? "rendezvous" : sends ? "send" : "receive");
    if (sends) json_.add("sender", message.sender);
    if (receives) json_.add("receiver", message.receiver);
    json_.close('}');
  }

  const Model& model_;
  const System& system_;
  const PageModelLimits& limits_;
  JsonText json_;
};

}  // namespace

std::size_t page_parts(const System& system) {
  std::size_t parts = system.slots.size() + system.actions.size();
  for (const Component& component : system.components)
    parts += component.locations.size() + component.edges.size();
  for (const Action& action : system.actions) parts += action.reads.size() + action.writes.size();
  return parts;
}

std::string page_model(const Model& model, const std::string& path, const PageModelLimits& limits) {
  return Writer(model, limits).write(path);
}

}  // namespace tideline
