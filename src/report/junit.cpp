#include "report/junit.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "trace/show.hpp"

namespace tideline {

namespace {

/// The content of a test case; empty for one that passes.
std::string case_body(const PropertyResult& result, const std::optional<Trace>& run, const System& system,
                      const SourceText* source, Budget* budget) {
  if (as_expected(result)) return {};
  const std::string message = fmt::format("{}, expected {}{}{}", to_string(result.verdict),
                                          to_string(result.property.expected.value_or(Verdict::holds)),
                                          result.reason.empty() ? "" : ": ", result.reason);
  const std::string_view element = result.verdict == Verdict::unknown ? "error" : "failure";
  std::string text;
  if (run)
    text = fmt::format("\n{}", show_run(system, *run, {.full = false, .source = source, .budget = budget}));
  return fmt::format("\n      <{} message=\"{}\" type=\"{}\">{}</{}>\n    ", element, xml_escaped(message),
                     to_string(result.property.kind), xml_escaped(text), element);
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  // The JSON library repairs UTF-8: what it cannot read becomes the replacement character.
  using AnyJson = nlohmann::json;
  const std::string valid =
      AnyJson::parse(AnyJson(text).dump(-1, ' ', false, AnyJson::error_handler_t::replace))
          .get<std::string>();
  std::string result;
  for (const char c : valid) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&apos;";
        break;
      case '\n':
      case '\t':
        result += c;
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
  }
  return result;
}

std::string answer_junit(const Answer& answer, const System& system, const SourceText* source,
                         Budget* budget) {
  const auto& results = answer.outcome.results;
  std::size_t failures = 0, errors = 0;
  std::string cases;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!as_expected(results[i])) ++(results[i].verdict == Verdict::unknown ? errors : failures);
    const std::string body = case_body(results[i], answer.traces[i], system, source, budget);
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n",
                         xml_escaped(answer.model), xml_escaped(results[i].property.name), body);
  }
  double seconds = 0;
  if (const auto* time = answer.outcome.statistics.find("time_s"))
    if (const auto* value = std::get_if<double>(time)) seconds = *value;
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"",
                                         results.size(), failures, errors, seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite name=\"{1}\" {0}>\n{2}  "
      "</testsuite>\n</testsuites>\n",
      counts, xml_escaped(answer.model), cases);
}

}  // namespace tideline
