// Where the answer of a check goes: text, JSON, JUnit XML, runs as files of their own, and the exit code.
#pragma once

#include "check_options.hpp"
#include "exit_code.hpp"
#include "report/answer.hpp"

namespace tideline::app {

/// The worst verdict decides; with --all, whether verdicts are as expected.
ExitCode exit_code_for(const Outcome& outcome);

/// Nothing is written before everything is rendered; runs that the budget does not suffice for are left out.
void write_answer(const CheckOptions& options, const Model& model, Answer& answer, bool text_on_stdout,
                  Budget& budget);

}  // namespace tideline::app
