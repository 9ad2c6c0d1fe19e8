// The syntax tree of a DVE file, before names are resolved.
//
// All expressions of a file are nodes of one array and refer to each other by index: compact, cheap to build
// and to throw away whatever their shape. Names are views into the source text, which outlives the tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lang/properties.hpp"
#include "model/expr.hpp"

namespace tideline::dve {

using NodeId = std::uint32_t;
inline constexpr NodeId no_node = ~NodeId{0};

/// Deeper expressions are refused: everything that walks one may recurse.
inline constexpr std::uint32_t max_depth = 1000;

struct Node {
  enum class Kind : std::uint8_t {
    number,   // value
    name,     // text, [left]
    member,   // owner.text, [left]; owner[right].text of a template
    foreign,  // owner->text, [left]; likewise
    unary,    // op, left
    binary,   // op, left, right
  };
  Kind kind = Kind::number;
  Op op = Op::constant;
  std::uint16_t depth = 1;  ///< height of the tree below and including this node
  NodeId left = no_node;
  NodeId right = no_node;
  std::int64_t value = 0;
  std::string_view owner{};
  std::string_view text{};
  SourcePoint where{};
};
using Nodes = std::vector<Node>;

struct Name {
  std::string_view text;
  SourcePoint where;
};

enum class Type : std::uint8_t { byte_type, int_type };

struct Declaration {
  bool is_const = false;
  Type type = Type::byte_type;
  Name name;
  NodeId length = no_node;  ///< no_node: a scalar
  bool has_list = false;    ///< the initialiser is written in braces
  std::vector<NodeId> values{};
};

/// `[i < N]` after the name of a process or channel: there is one for each i.
struct TemplateParameter {
  Name name;
  NodeId count = no_node;
};

struct ChannelDeclaration {
  Name name;
  std::optional<TemplateParameter> parameter{};
  bool typed = false;
  std::vector<Type> fields{};
  NodeId capacity = no_node;
};

struct SyncClause {
  Name channel;
  NodeId index = no_node;  ///< of a channel of a template
  bool sends = false;
  std::vector<NodeId> items{};  ///< values of a send, targets of a receive
};

struct EffectClause {
  NodeId target = no_node;
  NodeId value = no_node;
};

struct TransitionClause {
  Name from;
  Name to;
  NodeId guard = no_node;
  std::optional<SyncClause> sync{};
  std::vector<EffectClause> effects{};
};

struct AssertClause {
  Name state;
  NodeId condition = no_node;
  std::string_view text{};  ///< the condition as written
};

struct ProcessClause {
  Name name;
  std::optional<TemplateParameter> parameter{};
  std::vector<Declaration> declarations{};
  std::vector<Name> states{};
  std::optional<Name> init{};
  std::vector<Name> committed{};
  std::vector<Name> ends{};                    ///< where the process may stay for ever
  std::vector<std::vector<Name>> accepting{};  ///< one entry per acceptance set
  SourcePoint accept_where{};                  ///< line 0: there is no accept clause
  std::vector<AssertClause> assertions{};
  std::vector<TransitionClause> transitions{};
};

struct File {
  Nodes nodes;
  std::vector<Declaration> globals;
  std::vector<ChannelDeclaration> channels;
  /// Globals and channels in the order of the file: true for a channel.
  std::vector<bool> is_channel;
  std::vector<ProcessClause> processes;
  bool synchronous = false;
  SourcePoint system_where{};
  std::optional<Name> property;
  std::vector<PropertyLine> property_lines;
};

}  // namespace tideline::dve
