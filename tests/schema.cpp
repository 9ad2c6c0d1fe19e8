#include "schema.hpp"

#include <fstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace tideline::test {

std::string schema_errors(const nlohmann::json& answer, const std::string& name) {
  std::ifstream file(TIDELINE_DOCS "/" + name + ".schema.json");
  const nlohmann::json text = nlohmann::json::parse(file);
  valijson::Schema schema;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  const valijson::adapters::NlohmannJsonAdapter schema_adapter(text);
  parser.populateSchema(schema_adapter, schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  const valijson::adapters::NlohmannJsonAdapter answer_adapter(answer);
  if (validator.validate(schema, answer_adapter, &results)) return "";
  std::string errors;
  for (const auto& error : results) {
    for (const std::string& part : error.context) errors += part;
    errors += ": " + error.description + "\n";
  }
  return errors.empty() ? "invalid" : errors;
}

}  // namespace tideline::test
