// What may come next on a command line, for the shells that complete it.
//
// The scripts in completion/ know no command and no option: they run `tideline complete WORD... LAST` and offer what it
// prints, a line each. Where it prints nothing they complete names of files.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace tideline::app {

/// `words`: what follows the program's name, up to the word that is to be completed, which may be empty. An option with
/// its value, "--por=am", is completed as a whole.
std::vector<std::string> completions(CLI::App& app, const std::vector<std::string>& words);

}  // namespace tideline::app
