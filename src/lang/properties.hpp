// Named properties: what the author of a model wants checked, and what the answer should be.
//
//     property mutex expect holds invariant P_0.CS + P_1.CS <= 1
//     property quiet deadlock
//     property both expect violated reach crowded && turn == 1
//     define crowded = P_0.CS + P_1.CS > 1
//     progress turn, P_0 {NCS < wait < CS}
//
// Such lines are in `//@` comments of a model, or in a file beside it; docs/properties.md describes them.
// Only the expressions in them depend on the language of the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/system.hpp"
#include "run/property.hpp"

namespace tideline {

/// One line of text with the place of its first character.
struct PropertyLine {
  SourcePoint where;
  std::string text;
};

/// The author's progress measure, as written: progress/ parses it.
struct ProgressClause {
  std::string text;
  SourcePoint where;  ///< of its first character
  SourceText source;
};

/// The lines of a property file.
std::vector<PropertyLine> property_file_lines(const SourceText& source);

/// Reads the lines, which are part of `source`, in order: adds definitions to the system's propositions
/// and properties to `properties`, where a name already taken is an error, as is a second measure.
/// Throws Error(input).
void read_properties(const std::vector<PropertyLine>& lines, const SourceText& source, System& system,
                     std::vector<Property>& properties, std::optional<ProgressClause>& progress);

}  // namespace tideline
