// The answer as JUnit XML, which CI systems read: one test case per property.
//
// A case fails when the verdict is decided and not the expected one (no expectation: it should hold). An
// unknown verdict is an error of the case, not a skip: a check that did not finish must not look green.
#pragma once

#include <string>
#include <string_view>

#include "model/error.hpp"
#include "report/answer.hpp"

namespace tideline {

/// `source` is the model's text, for the places of model errors (may be null).
std::string answer_junit(const Answer& answer, const System& system, const SourceText* source,
                         Budget* budget = nullptr);

/// Text for an attribute or element: markup escaped, characters that XML cannot hold replaced.
std::string xml_escaped(std::string_view text);

}  // namespace tideline
