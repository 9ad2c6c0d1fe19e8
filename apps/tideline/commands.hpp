// The subcommands. Each add_ function declares its options and what to do once they are read; the result
// goes to `exit_code`.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "exit_code.hpp"

namespace tideline::app {

void add_automaton(CLI::App& app, ExitCode& exit_code);
void add_engines(CLI::App& app, ExitCode& exit_code);
void add_check(CLI::App& app, ExitCode& exit_code);
void add_explore(CLI::App& app, ExitCode& exit_code);
void add_explain_por(CLI::App& app, ExitCode& exit_code);
void add_mcc(CLI::App& app, ExitCode& exit_code);
void add_progress(CLI::App& app, ExitCode& exit_code);
void add_report(CLI::App& app, ExitCode& exit_code);
void add_resume(CLI::App& app, ExitCode& exit_code);
void add_simulate(CLI::App& app, ExitCode& exit_code);
void add_trace(CLI::App& app, ExitCode& exit_code);

/// All of them, with the options and the help page of the program itself.
void add_commands(CLI::App& app, ExitCode& exit_code);

/// Replaces the generated help by a page written by hand: it fits a screen and has examples.
inline void set_help(CLI::App& app, const char* page) {
  class Page : public CLI::Formatter {
   public:
    explicit Page(std::string text) : text_(std::move(text)) {}
    std::string make_help(const CLI::App*, std::string, CLI::AppFormatMode) const override { return text_; }

   private:
    std::string text_;
  };
  app.formatter(std::make_shared<Page>(page));
}

}  // namespace tideline::app
