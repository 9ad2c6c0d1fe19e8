// Loading models: from a file to a System, for all languages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/properties.hpp"
#include "model/system.hpp"
#include "run/property.hpp"

namespace tideline {

namespace pnml {
struct Net;
}

struct Model {
  System system;
  SourceText source;
  /// Named properties: from `//@` comments of the model, then from the property file beside it.
  std::vector<Property> properties;
  /// A `progress` line among them.
  std::optional<ProgressClause> progress;
  /// The Petri net that the system came from, if any: each slot is a place, each action a transition.
  std::shared_ptr<const pnml::Net> net = {};
};

/// The name of the standard input where a file is read.
inline constexpr std::string_view standard_input = "-";

/// A constant of the model that gets another value: `--define N=4`.
struct Define {
  std::string name;
  std::int64_t value = 0;
};

/// Reads values of constants, "N=4" each. Throws Error(usage).
std::vector<Define> parse_defines(const std::vector<std::string>& texts);

/// The languages that a model can be said to be in, each an extension without its dot: "dve", "promela", "pml", ...
std::vector<std::string> language_names();

struct LoadOptions {
  /// The property file; empty: the model's name with the extension .props, when there is one.
  std::string property_file = {};
  /// What the model is written in, one of language_names(); empty: what its name says.
  std::string language = {};
  /// Values of constants that replace those in the model.
  std::vector<Define> defines = {};
  /// What this program adds to DVE is refused.
  bool strict = false;
  /// Values sent over a typed channel wrap to its type instead of being model errors, as in BEEM's
  /// reference tool.
  bool wrap_messages = false;
  /// How the internal action of an LTS is spelled: `tau`, or `i` as in files of some tools.
  std::string internal_action = "tau";
  /// A process of a network that has more states on its own is refused.
  std::size_t most_local_states = 1'000'000;
  /// A Promela model in which more processes could run at the same time is cut there: the run that would be one
  /// too many is a model error.
  std::uint32_t most_processes = 255;
  /// A coloured net that has more places, transitions and arcs when it is unfolded is refused.
  std::size_t most_unfolded = 10'000'000;
};

/// Where the named properties of a model are: in the given file, else in the one beside it, which need not
/// exist.
std::string property_file_of(const std::string& model, const std::string& given);

/// Reads a model and its named properties. The language follows from the file's extension. "-" is the standard
/// input, which needs a language, and has no property file beside it.
/// Throws Error (input, with places; io, when the file cannot be read).
Model load_model(const std::string& path, const LoadOptions& options = {});

/// Reads a model from memory, with the properties in its comments but without a property file. The language
/// follows from the extension of the source's name. Throws Error(input).
Model read_model(SourceText source, const LoadOptions& options = {});

/// Reads an expression over the system's variables in the syntax of the model's language. `origin` names it
/// in messages ("--invariant"). Throws Error(input) that points into the text.
Expr parse_expression(const System& system, std::string_view text, const std::string& origin);

/// Reads the text of a file, without a byte order mark. Throws Error(io), also for folders and for files past
/// 256 MiB; Error(input) for a file that is not a text. "-" is the standard input.
SourceText read_source(const std::string& path);

}  // namespace tideline
