// System: a concurrent system as data. Every front-end produces one, every engine starts from one.
//
// A system is a fixed vector of integer slots, components that own some of them, and actions. Nothing here
// runs; exec/ steps a System, and analyses (dependence, progress measures, reductions) only read it.
//
// Semantics of an action in a state s:
//   - it is enabled when every participant's component is at its `from` location and neither a participant's
//     guard nor the action's own guard is false in s. A `from` of any_location leaves the location to the
//     participant's guard: one action then stands for many local moves
//   - taking it runs the effects in order on a copy of s. Moves of the participants to their `to` locations
//     are ordinary assignments among the effects
//   - a value outside the slot's range, an index out of bounds or an expression without a value is a model
//     error (see ModelErrorKind) of the whole action; so is a guard without a value, where no other is false
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/expr.hpp"

namespace tideline {

using ComponentId = std::uint32_t;
using LocationId = std::uint32_t;
using ActionId = std::uint32_t;

inline constexpr ComponentId no_component = ~ComponentId{0};
inline constexpr SlotId no_slot = ~SlotId{0};
inline constexpr ActionId no_action = ~ActionId{0};
inline constexpr LocationId any_location = ~LocationId{0};
inline constexpr std::uint32_t no_names = ~std::uint32_t{0};
inline constexpr std::int32_t no_statement = -1;

/// The values a slot may take, both ends included.
struct Range {
  std::int32_t low = 0;
  std::int32_t high = 0;
  bool contains(std::int64_t value) const { return low <= value && value <= high; }
  bool operator==(const Range&) const = default;
};

inline constexpr Range byte_range{0, 255};
inline constexpr Range int16_range{-32768, 32767};

/// One integer of the state vector.
struct Slot {
  std::string name;  ///< unique, as shown to people: "turn", "P_0.place", "slot[3]", "P_0" for its location
  Range range;
  ComponentId owner = no_component;  ///< no_component: shared by all
  std::uint32_t variable = 0;        ///< index into System::variables
};

/// A name in the source text for one slot or several consecutive ones.
struct Variable {
  std::string name;                  ///< without its owner: "place"
  ComponentId owner = no_component;  ///< no_component: global
  SlotId first = 0;
  std::uint32_t length = 1;
  bool is_array = false;
  bool is_location = false;        ///< the control location of `owner`; values are indices of its locations
  bool is_internal = false;        ///< not in the source text: people do not see it in runs
  std::uint32_t names = no_names;  ///< index into System::value_names: what its values are called
  SourcePoint where{};
};

/// A named constant; an array when is_array, then `values` is System::tables[table].
struct Constant {
  std::string name;
  ComponentId owner = no_component;
  bool is_array = false;
  std::int64_t value = 0;
  std::uint32_t table = 0;
};

struct Location {
  std::string name;
  bool committed = false;  ///< informative: its meaning is already in the guards
  bool may_end = false;    ///< informative: its meaning is in System::may_end
  SourcePoint where{};
};

/// An edge of a component's local control graph, one for every local move of every action it takes part in.
struct ControlEdge {
  LocationId from = 0;
  LocationId to = 0;
  ActionId action = 0;
  std::uint32_t line = 0;  ///< of the component's own transition; 0: not known
};

struct Component {
  std::string name;
  SlotId location_slot = no_slot;  ///< no_slot: a component without control (a group of Petri net places)
  LocationId initial = 0;
  std::vector<Location> locations = {};
  /// Filled by complete(), but for participants at any_location: their moves are added by the front-end.
  std::vector<ControlEdge> edges = {};
};

/// The part one component plays in an action.
struct Participant {
  ComponentId component = 0;
  LocationId from = 0;  ///< any_location: wherever the guard allows
  LocationId to = 0;    ///< any_location where `from` is: the effects decide
  Expr guard = Expr::constant(1);
  /// Of the component's own transition, where the language has such. Where `from` is any_location, there may be
  /// several: then only the edges of the control graph know.
  SourcePoint where{};
  /// The number that SPIN gives the statement (trace/spin_trail.hpp).
  std::int32_t statement = no_statement;
};

struct Assignment {
  SlotId slot = 0;                 ///< the slot, or the first of the array
  std::uint32_t length = 1;        ///< number of slots of the array
  std::optional<Expr> index = {};  ///< absent: `slot` itself
  Expr value;
  SourcePoint where{};
};

/// A channel of the source text. Its contents are ordinary slots, and what is sent are ordinary assignments:
/// this is for showing them to people.
struct Channel {
  std::string name;
  std::uint32_t capacity = 0;    ///< 0: rendezvous
  SlotId length_slot = no_slot;  ///< of a buffer: how many messages wait
  std::vector<SlotId> fields =
      {};  ///< of a buffer: first slot of each field's row; the oldest message is first
  std::vector<std::uint32_t> names = {};  ///< of each field: index into System::value_names, or no_names
  SourcePoint where{};
};

/// What an action sends or receives. The sender, the receiver or both take part in the action.
struct Message {
  std::uint32_t channel = 0;  ///< index into System::channels
  ComponentId sender = no_component;
  ComponentId receiver = no_component;
  std::vector<Expr> values = {};  ///< what travels, in the state before the action
};

/// What an action prints: a format as of C's printf, and the values in the state before the action.
struct Print {
  struct Argument {
    Expr value;
    std::uint32_t names = no_names;  ///< for %e
  };
  std::string format;
  std::vector<Argument> arguments = {};
};

struct Action {
  std::string label;  ///< what a run prints: "P_0: NCS -> p1", "P.a -> b / c!3 / Q.x -> y"
  std::vector<Participant> participants =
      {};                          ///< sorted by evaluation order; empty for a Petri net transition
  Expr guard = Expr::constant(1);  ///< what remains beyond the participants' guards
  std::vector<Assignment> effects = {};
  std::optional<Message> message = {};
  std::optional<Print> print = {};
  SourcePoint where{};
  std::vector<SlotId> reads = {};   ///< sorted; exact but for computed indices, which read the whole array
  std::vector<SlotId> writes = {};  ///< sorted; likewise
};

/// What a process claims whenever it is at a location: violated in a state where `condition` is 0.
struct Assertion {
  std::string name;  ///< "P_0.CS:14" (process, location, line)
  std::string text;  ///< as written in the model
  Expr condition;    ///< includes the test that the process is at the location
  SourcePoint where{};
};

/// A named state formula that properties may use.
struct Proposition {
  std::string name;
  Expr expr;
};

/// A name in the source text besides those of slots and actions: the net's id of a coloured place, which
/// stands for the slots of all its colours, or a second name of one action.
struct Alias {
  std::string name;
  std::vector<SlotId> slots = {};
  std::vector<ActionId> actions = {};
};

/// A property automaton, from the model or from a formula: it reads the state before each step of the system
/// and moves with it. Acceptance is generalised Büchi over locations and edges, one set per entry of
/// `accepting`: a run visits a set when it leaves a location that belongs to it or takes an edge that does.
/// Without sets every infinite run is accepted.
struct PropertyProcess {
  struct Edge {
    LocationId from = 0;
    LocationId to = 0;
    Expr guard = Expr::constant(1);
    std::vector<Assignment> effects = {};  ///< on the property's own variables
    std::uint32_t marks = 0;               ///< the acceptance sets it belongs to, one bit per set
    SourcePoint where{};
  };
  static constexpr std::size_t most_sets = 32;

  std::string name;
  LocationId initial = 0;
  std::vector<Location> locations;
  std::vector<std::vector<LocationId>> accepting;  ///< one entry per acceptance set
  std::vector<Edge> edges;
  std::vector<SlotId> slots;  ///< its own variables; no action of the system touches them

  /// One bit for each acceptance set the location belongs to.
  std::uint32_t marks_of(LocationId location) const;
  /// The bits of all sets.
  std::uint32_t all_marks() const;
};

/// How a system is stepped. Whatever is chosen, steps and their order are the same.
enum class Execution : std::uint8_t {
  automatic,    ///< interpreted, and by native code when a search lasts
  interpreter,  ///< interpreted throughout
  native,       ///< by native code from the beginning, where there is some
};

struct System {
  std::string name;      ///< of the model, for people
  std::string language;  ///< which front-end reads expressions over this system: "dve"
  std::vector<Slot> slots;
  std::vector<std::int32_t> initial;  ///< value of each slot
  std::vector<Variable> variables;
  std::vector<Constant> constants;
  std::vector<std::vector<std::int64_t>> tables;  ///< constant arrays
  std::vector<Component> components;
  std::vector<Channel> channels;
  std::vector<Action> actions;
  std::vector<Alias> aliases;
  bool labels_say_moves = true;   ///< labels of actions say where participants go, so that runs need not
  bool runs_show_places = false;  ///< labels are statements: runs say where in the text each of them stands
  std::vector<std::vector<std::string>> value_names;  ///< of enumerations, by value; "" where it has none
  /// A state in which this slot is not 0 is not one that anybody sees: the step that leads there goes on with
  /// every action that is enabled, until the slot is 0 again. What happens between is one step for searches and
  /// properties; runs show its parts. No such state is initial. no_slot: there are none.
  SlotId transient = no_slot;
  /// Likewise, but every action is a step of its own (run/open_steps.hpp). A system has one of these slots at most.
  SlotId inner = no_slot;
  /// No action ever leads a slot out of its range: the front-end has shown it.
  bool ranges_are_proven = false;
  std::vector<Assertion> assertions;
  /// Where this is true, a state without successors is an end that the model allows, and not a deadlock.
  std::optional<Expr> may_end;
  std::vector<Proposition> propositions;
  std::optional<PropertyProcess> property;
  /// Where an erroneous action leads when errors do not end the run (see exec/); set by languages that
  /// define such a state.
  std::optional<std::vector<std::int32_t>> error_state;
  std::vector<Diagnostic> warnings;            ///< what the front-end wants the user to know
  Execution execution = Execution::automatic;  ///< the user's choice, for everything that steps this system

  const Variable* find_variable(std::string_view name, ComponentId owner = no_component) const;
  const Constant* find_constant(std::string_view name, ComponentId owner = no_component) const;
  std::optional<ComponentId> find_component(std::string_view name) const;
  std::optional<LocationId> find_location(ComponentId component, std::string_view name) const;
  std::optional<SlotId> find_slot(std::string_view name) const;

  /// Adds the slots of a variable and its initial values (missing ones are 0); returns its index.
  std::uint32_t add_variable(Variable variable, Range range, const std::vector<std::int32_t>& values);

  /// The value of a slot for the user: a name, or a number.
  std::string show_value(SlotId slot, std::int64_t value) const;
  /// A value of the enumeration, or a number.
  std::string show_named(std::uint32_t names, std::int64_t value) const;
  bool is_internal(SlotId slot) const { return variables[slots[slot].variable].is_internal; }
};

/// Adds to `reads` the slots that the expression may read (unsorted, with repetitions).
void collect_reads(const Expr& expr, std::vector<SlotId>& reads);

/// Where a component may stay for ever: where the model says so, and where it can do nothing.
struct EndLocations {
  std::vector<bool> named, never_left;  ///< by location
};

/// For System::may_end: every component is in such a location. Nothing when none is named.
std::optional<Expr> end_condition(const System& system, const std::vector<EndLocations>& ends);

/// Computes read and write sets and the local control graphs; a front-end calls it once at the end.
void complete(System& system);

/// The expression in C-like notation with slot names, fully parenthesised where precedence is not obvious.
std::string to_string(const Expr& expr, const System& system);

}  // namespace tideline
