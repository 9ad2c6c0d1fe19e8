// Where the program's words go: the answer to stdout, everything else to stderr.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tideline::app {

/// Writes to stdout at once. A reader that went away (a closed pipe) ends the output quietly; any other
/// failure, such as a full disk behind a redirection, throws Error(io).
void print(std::string_view text);

/// Writes a line to stderr. Nothing can be done when that fails.
void complain(std::string_view text);

/// Writes a file, or to stdout when the name is "-".
void write_output(const std::string& file, std::string_view text);

/// Looks at all files that are asked for (empty: not asked) before work begins. Throws Error(io) when
/// write_output would have no chance, Error(usage) when two are the same or one is among the inputs; true:
/// stdout is free for text.
bool require_outputs(const std::vector<std::string>& files, const std::vector<std::string>& inputs);

/// Whether whoever read our stdout has gone.
bool stdout_closed();

}  // namespace tideline::app
