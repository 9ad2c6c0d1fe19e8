// The manual page and the help pages have the commands and options that the program has, and no others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "checking/engines.hpp"
#include "commands.hpp"

namespace tideline::app {
namespace {

using Names = std::set<std::string>;

/// A section "tideline check" of the manual page: the options in tags of its list, and all
/// that are mentioned.
struct Section {
  Names listed, mentioned;
};

constexpr const char* shared_section = "Options of several commands";

/// The options after the macro Fl in a line of mdoc: `.It Fl -walks Ar n , Fl -seed Ar n`.
Names options_in(const std::string& line) {
  Names options;
  std::istringstream words(line);
  bool flag = false;
  for (std::string word; words >> word;) {
    if (word.starts_with('.')) word.erase(0, 1);
    if (word == "Fl")
      flag = true;
    else if (word == "Ar" || word == "Cm" || word == "Ns")
      flag = false;
    else if (flag && word.starts_with('-'))
      options.insert("-" + word);
  }
  return options;
}

/// By the heading of the subsection; what is outside all of them is in "".
std::map<std::string, Section> read_manual() {
  std::ifstream file(TIDELINE_DOCS "/tideline.1");
  std::map<std::string, Section> sections;
  std::string heading;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(".Sh ")) heading.clear();
    if (line.starts_with(".Ss ")) heading = line.substr(4);
    if (!line.starts_with('.')) continue;
    const Names options = options_in(line);
    sections[heading].mentioned.insert(options.begin(), options.end());
    if (line.starts_with(".It ")) sections[heading].listed.insert(options.begin(), options.end());
  }
  return sections;
}

/// All long names that the options of a command have.
Names options_of(const CLI::App& command) {
  Names options;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) options.insert("--" + name);
  return options;
}

/// All words "--like-this" of a help page, the examples left out.
Names options_of_help(const std::string& page) {
  const std::string text = page.substr(0, page.find("\nExamples"));
  Names options;
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
    if (end > at + 2) options.insert(text.substr(at, end - at));
  }
  return options;
}

class Manual : public ::testing::Test {
 protected:
  Manual() {
    add_commands(app_, exit_code_);
    for (const CLI::App* command : app_.get_subcommands({}))
      options_[command->get_name()] = options_of(*command);
  }

  std::ptrdiff_t commands_with(const std::string& option) const {
    return std::ranges::count_if(options_,
                                 [&](const auto& command) { return command.second.contains(option); });
  }

  CLI::App app_;
  ExitCode exit_code_ = exit_holds;
  std::map<std::string, Names> options_;  ///< by command
  std::map<std::string, Section> manual_ = read_manual();
};

TEST_F(Manual, HasEveryOptionOfEveryCommand) {
  ASSERT_GE(options_.size(), 8U);
  for (const auto& [command, options] : options_) {
    ASSERT_TRUE(manual_.contains("tideline " + command)) << command;
    for (const std::string& option : options)
      EXPECT_TRUE(manual_["tideline " + command].mentioned.contains(option) ||
                  manual_[shared_section].listed.contains(option))
          << "tideline " << command << " " << option << " is not in the manual page";
  }
  for (const std::string& option : options_of(app_))
    EXPECT_TRUE(manual_[""].mentioned.contains(option))
        << "tideline " << option << " is not in the manual page";
}

TEST_F(Manual, HasNoOtherOptions) {
  for (const auto& [heading, section] : manual_) {
    for (const std::string& option : section.mentioned)
      EXPECT_TRUE(commands_with(option) > 0 || options_of(app_).contains(option))
          << heading << " has " << option << ", which no command has";
    if (!heading.starts_with("tideline ")) continue;
    const auto command = options_.find(heading.substr(9));
    ASSERT_NE(command, options_.end()) << heading << " is not a command";
    for (const std::string& option : section.listed)
      EXPECT_TRUE(command->second.contains(option)) << heading << " does not take " << option;
  }
}

TEST_F(Manual, ListsWhatOneCommandTakesInItsSection) {
  for (const std::string& option : manual_[shared_section].listed)
    EXPECT_GT(commands_with(option), 1) << option << " is not an option of several commands";
}

TEST_F(Manual, HelpPagesHaveOptionsOfTheirCommandOnly) {
  for (const CLI::App* command : app_.get_subcommands({}))
    for (const std::string& option : options_of_help(command->help()))
      EXPECT_TRUE(options_[command->get_name()].contains(option))
          << "tideline " << command->get_name() << " --help has " << option << ", which it does not take";
}

TEST_F(Manual, FrontPageHasAllCommands) {
  const std::string page = app_.help();
  for (const auto& [command, options] : options_)
    EXPECT_NE(page.find("\n  " + command + " "), std::string::npos) << command;
}

// --- Engines

std::string text_of(const char* document) {
  std::ifstream file(std::string(TIDELINE_DOCS "/") + document);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(EngineDocuments, TheManualHasEveryEngine) {
  Names words;
  std::istringstream manual(text_of("tideline.1"));
  for (std::string line; std::getline(manual, line);)
    if (line.starts_with(".Cm ")) {
      std::istringstream names(line.substr(4));
      for (std::string word; names >> word;) words.insert(word);
    }
  for (const Engine& engine : engines()) EXPECT_TRUE(words.contains(std::string(engine.name))) << engine.name;
}

// Its list is a transcript, which another test compares.
TEST(EngineDocuments, DocsEnginesListsThem) {
  EXPECT_NE(text_of("engines.md").find("$ tideline engines\n"), std::string::npos);
}

TEST(EngineDocuments, TheSchemaTakesEveryName) {
  const auto schema = nlohmann::json::parse(text_of("tideline-answer.schema.json"));
  const std::regex pattern(schema["properties"]["engine"]["pattern"].get<std::string>());
  for (const Engine& engine : engines()) {
    EXPECT_TRUE(std::regex_match(std::string(engine.name), pattern)) << engine.name;
    EXPECT_TRUE(std::regex_match(fmt::format("bfs+{}", engine.name), pattern)) << engine.name;
  }
}

}  // namespace
}  // namespace tideline::app
