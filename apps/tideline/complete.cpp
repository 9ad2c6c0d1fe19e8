#include "complete.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>

#include "lang/lang.hpp"
#include "options.hpp"

namespace tideline::app {
namespace {

using Words = std::vector<std::string>;

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

CLI::Option* option_of(CLI::App& command, const std::string& word) {
  return word.starts_with("-") ? command.get_option_no_throw(word) : nullptr;
}

/// A command line up to the word that is completed, as far as it can be understood.
struct Line {
  CLI::Option* waiting = nullptr;  ///< the option whose value comes next
  Words positionals = {};
  std::string property_file = {};
};

Line read_line(CLI::App& command, const Words& words) {
  Line line;
  const std::string property_file = "--properties";
  for (const std::string& word : words) {
    if (line.waiting != nullptr) {
      if (line.waiting->get_name() == property_file) line.property_file = word;
      line.waiting = nullptr;
    } else if (CLI::Option* const option = option_of(command, word)) {
      if (takes_value(*option)) line.waiting = option;
    } else if (word.starts_with(property_file + "=")) {
      line.property_file = word.substr(property_file.size() + 1);
    } else if (!word.starts_with("-")) {
      line.positionals.push_back(word);
    }
  }
  return line;
}

/// Of the model on the line, if there is one that can be read.
Words names_of_properties(const Line& line) {
  Words names;
  if (line.positionals.empty() || line.positionals[0] == standard_input) return names;
  try {
    for (const Property& property :
         load_model(line.positionals[0], {.property_file = line.property_file}).properties)
      names.push_back(property.name);
  } catch (const std::exception&) {
    // whoever types is told when the command runs
  }
  return names;
}

Words values_of(CLI::Option& option, const Line& line) {
  return option.get_name() == "--property" ? names_of_properties(line) : words_of(option);
}

/// "--option=" and the beginning of its value.
std::optional<Words> values_after_equals(CLI::App& command, const Line& line, const std::string& last) {
  const std::size_t equals = last.find('=');
  CLI::Option* const option =
      equals == std::string::npos ? nullptr : option_of(command, last.substr(0, equals));
  if (option == nullptr) return std::nullopt;
  Words values = values_of(*option, line);
  for (std::string& value : values) value.insert(0, last, 0, equals + 1);
  return values;
}

Words names_of_options(const CLI::App& command) {
  Words names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

Words names_of_commands(const CLI::App& app) {
  Words names{"help"};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

Words candidates(CLI::App& app, const Words& words) {
  const std::string& last = words.back();
  if (words.size() == 1) return last.starts_with("-") ? names_of_options(app) : names_of_commands(app);
  if (words[0] == "help") return names_of_commands(app);
  const auto commands = app.get_subcommands([&](const CLI::App* one) { return one->get_name() == words[0]; });
  if (commands.empty()) return {};
  CLI::App* const command = commands.front();
  const Words before(words.begin() + 1, words.end() - 1);
  const Line line = read_line(*command, before);
  if (line.waiting != nullptr) return values_of(*line.waiting, line);
  if (auto values = values_after_equals(*command, line, last)) return *values;
  return last.starts_with("-") ? names_of_options(*command) : Words{};
}

}  // namespace

std::vector<std::string> completions(CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  Words result = candidates(app, words);
  std::erase_if(result, [&](const std::string& word) { return !word.starts_with(words.back()); });
  std::ranges::sort(result);
  return result;
}

}  // namespace tideline::app
