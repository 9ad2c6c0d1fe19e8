// Whether what the program prints has colours: the one place that decides it.
//
// With --color auto, the default, stdout and stderr each have colours where it is a terminal that can show them
// (TERM is not "dumb") and the environment does not ask for none (NO_COLOR).
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "trace/palette.hpp"

namespace tideline::app {

/// --color WHEN, an option of every command.
void add_colour_option(CLI::App& command);

/// Looks for the option before the others are read, since a message about these has colours, too.
void find_colour_option(const std::vector<std::string>& arguments);

/// For answers, and for messages.
const Palette& stdout_palette();
const Palette& stderr_palette();

/// Marks the word in "error: ...", "FILE.dve:3:7: warning: ..." and "note: ...".
std::string coloured_message(std::string_view line, const Palette& palette);

/// Whether stderr is a terminal on which a line can be drawn again in place.
bool stderr_redraws();

}  // namespace tideline::app
