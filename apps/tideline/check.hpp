// The options of a check, and one that is resumed from a checkpoint; `tideline check` itself is declared in
// commands.hpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "check_options.hpp"
#include "exit_code.hpp"
#include "search/sweep/checkpointer.hpp"

namespace tideline::app {

/// The options in the words of a command line, the model's file included. Throws CLI::ParseError.
std::shared_ptr<CheckOptions> parse_check(const std::vector<std::string>& arguments);

/// `arguments` are those of the check, see arguments_of().
ExitCode resume_check(const std::vector<std::string>& arguments, std::shared_ptr<Checkpointer> checkpoints);

}  // namespace tideline::app
