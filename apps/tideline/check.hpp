// A check that is resumed from a checkpoint; `tideline check` itself is declared in commands.hpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exit_code.hpp"
#include "search/sweep/checkpointer.hpp"

namespace tideline::app {

/// `arguments` are those of the check, see arguments_of().
ExitCode resume_check(const std::vector<std::string>& arguments, std::shared_ptr<Checkpointer> checkpoints);

}  // namespace tideline::app
