// The answer as JSON. docs/json.md explains the fields, docs/tideline-answer.schema.json fixes their types.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "report/answer.hpp"

namespace tideline {

/// With a source, actions that are never enabled have their places, where the language's runs show some.
std::string answer_json(const Answer& answer, const System& system, const SourceText* source = nullptr,
                        Budget* budget = nullptr);

/// JSON for a run, by the index of its property and its own among the runs of that.
using TraceText = std::function<std::string(std::size_t, std::size_t)>;

/// The same with `trace_of` in place of all runs.
std::string answer_json(const Answer& answer, const System& system, const TraceText& trace_of,
                        const SourceText* source = nullptr);

}  // namespace tideline
