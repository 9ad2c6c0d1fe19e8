// Report pages in tests: the data in them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "program.hpp"
#include "schema.hpp"

namespace tideline::test {

/// Whether the program has the page; it may have been built without npm.
inline bool has_page() {
  return run({"report", "--licences"}).exit_code == 0;
}

/// The data of a page, checked against its schema; null when there is none.
inline nlohmann::json page_data(const std::string& html) {
  const std::string mark = "id=\"tideline-data\">";
  const std::size_t begin = html.find(mark);
  if (begin == std::string::npos) return nullptr;
  const std::size_t end = html.find("</script>", begin);
  const auto data =
      nlohmann::json::parse(html.substr(begin + mark.size(), end - begin - mark.size()), nullptr, false);
  if (data.is_discarded()) return nullptr;
  const std::string errors = schema_errors(data, "tideline-report");
  return errors.empty() ? data : nlohmann::json{{"schema", errors}};
}

}  // namespace tideline::test
