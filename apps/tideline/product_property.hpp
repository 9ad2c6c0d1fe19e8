// --product, of several commands: which property the product is with.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/system.hpp"

namespace tideline::app {

/// The formula, else the automaton's file, else the property process of the model. Throws Error(usage) when
/// there is none.
std::shared_ptr<const PropertyProcess> product_property(const System& system, const std::string& model_path,
                                                        const std::optional<std::string>& formula,
                                                        const std::optional<std::string>& automaton_file);

}  // namespace tideline::app
