// Writes or compares the statistics part of docs/json.md and of the schema, as
// run/statistics.hpp declares it.
//
//   statistics DOCS            compares; exit code 1 with the text that should be there
//   statistics DOCS --update   writes it
#include "run/statistics.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tideline {
namespace {

std::string_view unit_words(Unit unit) {
  switch (unit) {
    case Unit::count:
      return "count";
    case Unit::large_count:
      return "large count";
    case Unit::flag:
      return "0 or 1";
    case Unit::bytes:
    case Unit::mean_bytes:
      return "bytes";
    case Unit::seconds:
      return "seconds";
    case Unit::per_second:
      return "per second";
    case Unit::fraction:
      return "0 to 1";
    case Unit::text:
      return "text";
  }
  return "";
}

std::string_view merge_words(Merge merge) {
  switch (merge) {
    case Merge::none:
      return "";
    case Merge::model:
      return "of the model";
    case Merge::largest:
      return "largest";
    case Merge::sum:
      return "sum";
    case Merge::whole:
      return "of the whole";
  }
  return "";
}

std::string table() {
  std::string text;
  for (const StatisticRow& row : statistic_rows)
    text += fmt::format("\n| `{}` | {} | {} | {} | {} |", row.name, row.label, unit_words(row.unit),
                        merge_words(row.merge), row.meaning);
  return text;
}

/// "terminal weak" becomes {"enum": ["terminal", "weak"]}.
std::string enumeration(std::string_view words) {
  std::istringstream stream{std::string(words)};
  std::string list;
  for (std::string word; stream >> word;) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", word);
  return fmt::format(R"({{"enum": [{}]}})", list);
}

std::string schema_type(const StatisticRow& row) {
  switch (row.unit) {
    case Unit::count:
    case Unit::bytes:
    case Unit::per_second:
      return R"({"$ref": "#/definitions/count"})";
    case Unit::large_count:
      return R"({"$ref": "#/definitions/big_count"})";
    case Unit::flag:
      return R"({"enum": [0, 1]})";
    case Unit::mean_bytes:
    case Unit::seconds:
      return R"({"type": "number", "minimum": 0})";
    case Unit::fraction:
      return R"({"type": "number", "minimum": 0, "maximum": 1})";
    case Unit::text:
      return row.words.empty() ? R"({"type": "string"})" : enumeration(row.words);
  }
  return "";
}

std::string schema() {
  std::string text;
  for (const StatisticRow& row : statistic_rows)
    text += fmt::format("{}\n        \"{}\": {}", text.empty() ? "" : ",", row.name, schema_type(row));
  return text;
}

/// A part of a document, between two texts that are not part of it.
struct Part {
  std::string file;
  std::string_view begin, end;
  std::string text;
};

/// Whether the document has the text; with `update` it is written.
bool settle(const Part& part, bool update) {
  std::ostringstream content;
  content << std::ifstream(part.file).rdbuf();
  std::string document = content.str();
  std::size_t from = document.find(part.begin);
  if (from == document.npos) throw std::runtime_error(fmt::format("{}: no `{}`", part.file, part.begin));
  from += part.begin.size();
  const std::size_t to = document.find(part.end, from);
  if (to == document.npos) throw std::runtime_error(fmt::format("{}: no `{}`", part.file, part.end));
  if (document.substr(from, to - from) == part.text) return true;
  if (!update) {
    fmt::print(stderr,
               "{}: the statistics are not those of src/run/statistics.hpp (`make transcripts` writes them). "
               "Behind\n{}\nthere should be{}\n",
               part.file, part.begin, part.text);
    return false;
  }
  std::ofstream(part.file) << document.replace(from, to - from, part.text);
  fmt::print("{}: statistics written\n", part.file);
  return true;
}

int run(const std::string& docs, bool update) {
  const Part parts[] = {
      {docs + "/json.md",
       "| field | label | unit | several searches | meaning |\n| --- | --- | --- | --- | --- |", "\n\n",
       table()},
      {docs + "/tideline-answer.schema.json",
       "      \"required\": [\"time_s\", \"peak_rss_bytes\", \"threads\"],\n      \"properties\": {",
       "\n      },", schema()},
  };
  bool right = true;
  for (const Part& part : parts) right = settle(part, update) && right;
  return right ? 0 : 1;
}

}  // namespace
}  // namespace tideline

int main(int count, char** arguments) {
  const bool update = count == 3 && std::string_view(arguments[2]) == "--update";
  if (count != 2 && !update) {
    std::fputs("usage: statistics DOCS [--update]\n", stderr);
    return 2;
  }
  try {
    return tideline::run(arguments[1], update);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
