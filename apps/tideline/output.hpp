// Where the program's output goes: the answer to stdout, everything else to stderr.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tideline::app {

/// Writes to stdout at once. A reader that went away (a closed pipe) ends the output quietly; any other
/// failure, such as a full disk behind a redirection, throws Error(io).
void print(std::string_view text);

/// Writes a line to stderr, in place of the status line. Nothing can be done when that fails.
void print_to_stderr(std::string_view line);
/// The same for "note: ...", "warning: ..." and "error: ...". A terminal gets the beginning of a note with a long list.
void note(std::string_view text);
void warn(std::string_view text);
void fail(std::string_view text);

/// Writes a file, or to stdout when the name is "-".
void write_output(const std::string& file, std::string_view text);

/// Looks at all files that are asked for (empty: not asked) before work begins. Throws Error(io) when
/// write_output would have no chance, Error(usage) when two are the same or one is among the inputs; true:
/// stdout is free for text.
bool require_outputs(const std::vector<std::string>& files, const std::vector<std::string>& inputs);

/// From now on nothing is written anywhere: another rank of the job does it.
void mute();

/// Whether the reader of our stdout has closed it.
bool stdout_closed();

}  // namespace tideline::app
