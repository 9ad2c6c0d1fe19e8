#include <filesystem>
#include <utility>

#include "lang/dve/compilation.hpp"
#include "lang/dve/dve.hpp"
#include "lang/dve/parser.hpp"

namespace tideline::dve {

namespace {

// Where an erroneous action leads when errors do not end the run: everything is 0, every process is in its
// first location, except that the first process is in none at all.
std::vector<std::int32_t> make_error_state(const System& system) {
  std::vector<std::int32_t> state(system.slots.size(), 0);
  const Component& first = system.components[0];
  state[first.location_slot] = static_cast<std::int32_t>(first.locations.size());
  return state;
}

// Every process is where it may stay: in a state that its `end` names, or in one that it never leaves.
std::optional<Expr> allowed_end(const Compilation& c) {
  std::vector<EndLocations> ends;
  for (ComponentId id = 0; id < c.system.components.size(); ++id) {
    EndLocations& end = ends.emplace_back();
    for (const Location& location : c.system.components[id].locations) end.named.push_back(location.may_end);
    end.never_left.assign(end.named.size(), true);
    for (const Transition& transition : c.transitions[id]) end.never_left[transition.from] = false;
  }
  return end_condition(c.system, ends);
}

System compile(const File& file, Diagnostics& diagnostics, const LoadOptions& options) {
  Compilation c(file, diagnostics, options);
  c.system.language = "dve";
  declare_globals(c);
  declare_processes(c);
  compile_transitions(c);
  compile_assertions(c);
  compile_property_process(c);
  diagnostics.throw_if_errors();
  c.system.may_end = allowed_end(c);
  if (file.synchronous)
    build_lockstep(c);
  else
    build_interleaving(c);
  c.system.error_state = make_error_state(c.system);
  return std::move(c.system);
}

}  // namespace

Reading read_model(const SourceText& source, const LoadOptions& options) {
  Diagnostics diagnostics(source);
  File file = parse(source.text, diagnostics, options.strict);
  Reading result;
  result.system = compile(file, diagnostics, options);
  result.system.name = std::filesystem::path(source.name).filename().string();
  result.system.warnings = diagnostics.take_warnings();
  result.property_lines = std::move(file.property_lines);
  complete(result.system);
  return result;
}

Expr read_expression(const System& system, std::string_view text, SourcePoint start,
                     Diagnostics& diagnostics) {
  const ParsedExpression parsed = parse_expression(text, start, diagnostics);
  const Names names(system);
  Expr expr = Resolver(system, names, parsed.nodes, diagnostics, {.members = true}).formula(parsed.root);
  diagnostics.throw_if_errors();
  return expr;
}

}  // namespace tideline::dve
