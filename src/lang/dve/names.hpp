// Name resolution: turns nodes into expressions over a System.
//
// Everything that can be named is looked up in the System's own data, so an expression in a model, in a
// property file and on the command line goes through the same code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lang/diagnostics.hpp"
#include "lang/dve/ast.hpp"
#include "model/system.hpp"

namespace tideline::dve {

/// Where an expression is.
struct Scope {
  ComponentId component = no_component;    ///< inside this process
  std::string_view property_process = {};  ///< inside the property process of this name
  bool members = false;                    ///< P.x may also name a variable of P, and c.length a buffer's
};

struct Symbol {
  enum class Kind : std::uint8_t { variable, constant, proposition };
  Kind kind = Kind::variable;
  std::uint32_t index = 0;  ///< into the System's list of that kind
};

/// An index of the names of a System; names that are added to the System must be added here too.
class Names {
 public:
  Names() = default;
  explicit Names(const System& system);

  void add(ComponentId owner, std::string_view name, Symbol symbol);
  void add_process(std::string_view name, ComponentId id);
  void add_location(ComponentId process, std::string_view name, LocationId id);

  const Symbol* find(ComponentId owner, std::string_view name) const;
  /// By the rules of the scope: what is local before what is global.
  const Symbol* find(const Scope& scope, std::string_view name) const;
  std::optional<ComponentId> find_process(std::string_view name) const;
  std::optional<LocationId> find_location(ComponentId process, std::string_view name) const;

  std::string suggest(const Scope& scope, std::string_view unknown) const;
  std::string suggest_process(std::string_view unknown) const;
  std::string suggest_location(ComponentId process, std::string_view unknown) const;

 private:
  template <class T>
  using Table = std::unordered_map<std::string, T>;
  Table<Symbol> symbols_;  ///< by owner and name
  Table<ComponentId> processes_;
  Table<LocationId> locations_;  ///< by process and name
};

/// The name under which a variable or constant of the property process is known to the System.
std::string property_local(std::string_view process, std::string_view name);

/// The name of a process or channel of a template: "P_2" for P[2].
std::string instance_name(std::string_view name, std::int64_t index);

/// A variable, or an element of it, that is assigned to.
struct Target {
  std::uint32_t variable = 0;
  SlotId slot = 0;
  std::uint32_t length = 1;
  std::optional<Expr> index;
  SourcePoint where;
};

/// Resolves nodes. Errors are recorded, and the part in error counts as 0.
class Resolver {
 public:
  Resolver(const System& system, const Names& names, const Nodes& nodes, Diagnostics& diagnostics,
           Scope scope)
      : system_(system), names_(names), nodes_(nodes), diagnostics_(diagnostics), scope_(scope) {}

  /// The expression with constants folded.
  Expr expression(NodeId node);
  /// The same for a property: its atoms stay, even constant ones.
  Expr formula(NodeId node);
  /// Nothing when the node is not a variable.
  std::optional<Target> target(NodeId node);

 private:
  Expr resolve(NodeId node, std::uint32_t depth);
  Expr resolve_name(const Node& node, std::uint32_t depth);
  std::string owner_of(const Node& node, std::uint32_t depth);
  Expr resolve_member(const Node& node, std::uint32_t depth);
  Expr resolve_foreign(const Node& node, std::uint32_t depth);
  Expr access(const Symbol& symbol, const Node& node, std::uint32_t depth);
  Expr proposition(const Proposition& proposition, const Node& node, std::uint32_t depth);
  bool check_index(bool is_array, const Node& node);
  Expr error(SourcePoint where, std::string message);

  const System& system_;
  const Names& names_;
  const Nodes& nodes_;
  Diagnostics& diagnostics_;
  Scope scope_;
  std::uint64_t inserted_ = 0;  ///< size of the propositions put into this expression
};

/// The value of an expression in the initial state, as far as that is known; nothing when it has none.
std::optional<std::int64_t> initial_value(const Expr& expr, const System& system);

}  // namespace tideline::dve
