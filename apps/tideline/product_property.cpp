#include "product_property.hpp"

#include <fmt/format.h>

#include "bind/bind.hpp"

namespace tideline::app {

std::shared_ptr<const PropertyProcess> product_property(const System& system, const std::string& model_path,
                                                        const std::optional<std::string>& formula,
                                                        const std::optional<std::string>& automaton_file) {
  if (formula)
    return bind(system, {.name = "ltl", .kind = PropertyKind::ltl, .formula = *formula, .origin = "--ltl"})
        .process;
  if (automaton_file)
    return bind(system, {.name = "automaton", .kind = PropertyKind::automaton, .formula = *automaton_file})
        .process;
  if (const auto own = own_property(system)) return own->process;
  throw Error(ErrorKind::usage, fmt::format("--product: {} has no property process; --ltl or --automaton "
                                            "give another property",
                                            model_path));
}

}  // namespace tideline::app
