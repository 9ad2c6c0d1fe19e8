// Compilation: the state shared by the passes that turn the tree of a model into a System.
//
// Order matters: globals, then processes with their locals (slots lie in this order), then everything that
// contains expressions over them, and last the actions, for which transitions of different processes meet.
// compile() stops before a pass that cannot work with what an earlier one found wrong.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/dve/ast.hpp"
#include "lang/dve/names.hpp"
#include "lang/lang.hpp"

namespace tideline::dve {

struct Channel {
  Name name;
  bool typed = false;
  std::vector<Type> fields;
  std::uint32_t capacity = 0;         ///< 0: rendezvous
  SlotId length_slot = no_slot;       ///< of a buffer: how many messages wait
  std::vector<SlotId> field_slots{};  ///< of a buffer: the first slot of each field's row
  /// First use of an untyped channel, which fixes the number of values in its messages.
  std::optional<SourcePoint> first_use{};

  bool buffered() const { return capacity > 0; }
};

struct Synchronisation {
  std::uint32_t channel = 0;
  bool sends = false;
  std::vector<Expr> values;     ///< of a send
  std::vector<Target> targets;  ///< of a receive
  SourcePoint where{};
};

/// A transition of one process with its names resolved, before it is made into actions.
struct Transition {
  ComponentId process = 0;
  LocationId from = 0;
  LocationId to = 0;
  Expr guard = Expr::constant(1);
  std::optional<Synchronisation> sync;
  std::vector<Assignment> effects;
  SourcePoint where{};
  std::uint64_t size = 0;  ///< expressions and assignments, to estimate how large the actions become
};

struct Compilation {
  Compilation(const File& tree, Diagnostics& log, const LoadOptions& how)
      : file(tree), diagnostics(log), options(how) {}

  const File& file;
  Diagnostics& diagnostics;
  const LoadOptions& options;
  System system;
  Names names;
  std::vector<Channel> channels;
  std::unordered_map<std::string, std::uint32_t> channel_index;
  const ProcessClause* property = nullptr;
  std::vector<const ProcessClause*> processes;       ///< of each component
  std::deque<ProcessClause> instances;               ///< of templates, under names of their own
  std::deque<std::string> generated_names;           ///< of those, and of channels; names refer to them
  std::vector<std::vector<Transition>> transitions;  ///< of each component

  /// The name of an instance, which stays as long as this.
  Name name_instance(const Name& name, std::int64_t index) {
    generated_names.push_back(instance_name(name.text, index));
    return {generated_names.back(), name.where};
  }

  Resolver resolver(Scope scope) { return {system, names, file.nodes, diagnostics, scope}; }
};

/// The range of values of a type.
Range range_of(Type type);

/// An assignment of a value to a target.
Assignment assign(const Target& target, Expr value);

// declare.cpp
void declare_globals(Compilation& c);
void declare_processes(Compilation& c);

// transitions.cpp
void compile_transitions(Compilation& c);
void compile_assertions(Compilation& c);
void compile_property_process(Compilation& c);

// interleave.cpp
void build_interleaving(Compilation& c);

// lockstep.cpp
void build_lockstep(Compilation& c);

/// The limits past which a model is refused instead of filling the memory.
inline constexpr std::uint64_t max_slots = 1'000'000;
inline constexpr std::int64_t max_instances = 10'000;
inline constexpr std::uint64_t max_actions = 1'000'000;
inline constexpr std::uint64_t max_lockstep_actions = 200'000;
inline constexpr std::uint64_t max_action_parts = 20'000'000;

/// Makes the label of an action, different from all earlier ones.
class Labels {
 public:
  explicit Labels(const System& system) : system_(system) {}
  /// "P_0: NCS -> p1"
  std::string move(const Transition& transition) const;
  /// The label itself when it is new, else with " #2", " #3", ... in order.
  std::string unique(std::string label);

 private:
  const System& system_;
  std::unordered_map<std::string, std::uint32_t> used_;
};

/// Adds the participant that takes the transition, and nothing else, to the action.
void add_participant(Action& action, const Transition& transition);

/// The assignment that moves the process to the transition's target.
Assignment move(const System& system, const Transition& transition);

}  // namespace tideline::dve
