// What programs read, against the schemas of docs/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tideline::test {

/// What is wrong with an answer according to the schema; empty: nothing.
std::string schema_errors(const nlohmann::json& answer, const std::string& name = "tideline-answer");

}  // namespace tideline::test
