// The syntax tree of a file of the process language, with what check() finds out about it.
//
// Expressions, choices and terms of compositions are elements of one array each and refer to each other by
// index. Names are views into the source text, which outlives the tree. After check() every name is resolved:
// constants are numbers, variables have their place in the environment, references their state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/properties.hpp"
#include "model/expr.hpp"

namespace tideline::psl {

using NodeId = std::uint32_t;
using ChoiceId = std::uint32_t;
using TermId = std::uint32_t;
inline constexpr std::uint32_t nothing = ~std::uint32_t{0};

/// Deeper nesting is refused: everything that walks a tree may recurse.
inline constexpr std::uint32_t max_depth = 500;
/// More nodes, choices or terms are refused.
inline constexpr std::size_t max_nodes = std::size_t{1} << 22;

struct Name {
  std::string_view text;
  SourcePoint where;
};

struct Node {
  enum class Kind : std::uint8_t {
    number,      // value
    name,        // text; after check(): `variable`
    unary,       // op, args[0]
    binary,      // op, args[0], args[1]
    member,      // text(args...).state(rest...): a test of a component's state; in properties only
    quantifier,  // text(variable: args[0]..args[1], args[2]); in properties only
  };
  Kind kind = Kind::number;
  Op op = Op::constant;
  std::uint16_t depth = 1;  ///< height of the tree below and including this node
  std::int64_t value = 0;   ///< of a member: how many of `args` belong to the component
  std::string_view text{};
  std::string_view state{};          ///< of a member; with the number of a state without a name: "Ready.1"
  std::uint32_t variable = nothing;  ///< index into the environment
  SourcePoint where{};
  std::vector<NodeId> args{};
};
using Nodes = std::vector<Node>;

/// low..high, or the name of a range until check() has looked it up.
struct Interval {
  NodeId low = nothing;
  NodeId high = nothing;
  Name name{};
  SourcePoint where{};
};

struct Parameter {
  Name name;
  Interval range;
  NodeId initial = nothing;
};

/// One index of a label: a value, or a choice among values that may be remembered under a name.
struct LabelIndex {
  NodeId value = nothing;
  Interval range{};  ///< when there is no `value`
  Name binder{};     ///< empty: not remembered
  std::uint32_t variable = nothing;
};

struct Label {
  Name name;  ///< empty: the internal action
  std::vector<LabelIndex> indices{};

  bool internal() const { return name.text.empty(); }
};

struct Reference {
  Name name;
  std::vector<NodeId> args{};
  std::uint32_t target = nothing;  ///< index of the state, process or network
};

/// `label when guard -> what follows`, or everything that another state can do.
struct Alternative {
  std::optional<Label> label{};
  Reference state{};        ///< without a label: included; else what follows, if `then` is nothing
  ChoiceId then = nothing;  ///< what follows
  NodeId guard = nothing;
  mutable bool happens = false;  ///< some component can take it
};

/// What a state can do. Named states and the places in between have one each.
struct Choice {
  std::vector<Alternative> alternatives{};
  SourcePoint where{};
  std::string name{};                      ///< "Ready", "Ready.1"
  std::vector<std::uint32_t> remembers{};  ///< variables that tell its instances apart, ascending
};

/// The choice that offers nothing.
inline constexpr ChoiceId stop = 0;

struct StateClause {
  Name name;
  std::vector<Parameter> parameters{};
  ChoiceId choice = nothing;
  bool may_end = false;  ///< the process may stay there for ever
};

struct ProcessClause {
  Name name;
  std::vector<Parameter> parameters{};
  std::vector<Label> alphabet{};
  std::vector<StateClause> states{};
};

/// What `sync` lists: `P.a * Q.b -> c`, or `forall` with a list of its own.
struct VectorClause {
  struct Part {
    Reference component;
    Label label;
  };
  std::vector<Part> parts{};  ///< none: it is a forall
  Label label{};
  Name binder{};
  Interval range{};
  std::uint32_t variable = nothing;
  std::vector<VectorClause> vectors{};
  SourcePoint where{};
};

/// A part of a composition.
struct Term {
  enum class Kind : std::uint8_t { instance, parallel, forall, hide, rename, sync, as, minimised };
  Kind kind = Kind::instance;
  std::uint16_t depth = 1;
  SourcePoint where{};
  Reference reference{};    ///< of an instance; of `as` the name and its arguments
  bool is_network = false;  ///< the instance is one of a network
  std::vector<TermId> terms{};
  Name binder{};  ///< of forall
  Interval range{};
  std::uint32_t variable = nothing;
  std::vector<Label> labels{};  ///< to hide
  std::vector<std::pair<Label, Label>> renames{};
  std::vector<VectorClause> vectors{};

  bool is_process() const { return kind == Kind::instance && !is_network; }
};

struct NetworkClause {
  Name name;
  std::vector<Parameter> parameters{};
  TermId term = nothing;
};

struct ConstantClause {
  Name name;
  NodeId value = nothing;
};

struct RangeClause {
  Name name;
  Interval range;
};

struct File {
  Nodes nodes;
  std::vector<Choice> choices{{}};  ///< the first is `stop`
  std::vector<Term> terms;
  std::vector<ConstantClause> constants;
  std::vector<RangeClause> ranges;
  /// Constants and ranges in the order of the file: true for a range.
  std::vector<bool> is_range;
  std::vector<ProcessClause> processes;
  std::vector<NetworkClause> networks;
  TermId system = nothing;
  SourcePoint end{};
  std::vector<PropertyLine> property_lines;
};

}  // namespace tideline::psl
