// The model in the data of a report page: its text, and its structure as far as people see it.
#pragma once

#include <cstddef>
#include <string>

#include "lang/lang.hpp"

namespace tideline {

struct PageModelLimits {
  std::size_t source_bytes = 2'000'000;  ///< a longer text is left out
  std::size_t parts = 500'000;      ///< slots, actions, locations and edges; a model with more is left out
  std::size_t guard_bytes = 2'000;  ///< a longer guard is cut
};

/// How many parts of the model a page would have to show.
std::size_t page_parts(const System& system);

/// The object `model` of docs/tideline-report.schema.json. `path`: as the user gave it.
std::string page_model(const Model& model, const std::string& path, const PageModelLimits& limits = {});

}  // namespace tideline
