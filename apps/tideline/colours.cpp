#include "colours.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "options.hpp"

namespace tideline::app {

namespace {

constexpr std::string_view option_name = "--color";
std::optional<bool> chosen_colours;  // nothing: where they can be shown

/// A terminal that moves its cursor and knows colours. Without TERM, as under cron, nothing is known of it.
bool is_capable_terminal(int descriptor) {
  const char* const kind = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

bool has_colours(int descriptor) {
  if (chosen_colours) return *chosen_colours;
  const char* const refused = std::getenv("NO_COLOR");
  return (refused == nullptr || *refused == '\0') && is_capable_terminal(descriptor);
}

Palette palette_for(int descriptor) {
  return has_colours(descriptor) ? Palette::coloured() : Palette();
}

void choose(std::string_view word) {
  if (word == "always") chosen_colours = true;
  if (word == "never") chosen_colours = false;
  if (word == "auto") chosen_colours.reset();
}

}  // namespace

void add_colour_option(CLI::App& command) {
  add_word(command, std::string(option_name), {"auto", "always", "never"}, choose);
}

void find_colour_option(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    std::string_view word = arguments[i];
    if (word == option_name && i + 1 < arguments.size()) choose(arguments[i + 1]);
    if (!word.starts_with(option_name)) continue;
    word.remove_prefix(option_name.size());
    if (word.starts_with('=')) choose(word.substr(1));
  }
}

const Palette& stdout_palette() {
  static const Palette palette = palette_for(STDOUT_FILENO);
  return palette;
}

const Palette& stderr_palette() {
  static const Palette palette = palette_for(STDERR_FILENO);
  return palette;
}

std::string coloured_message(std::string_view line, const Palette& palette) {
  constexpr std::array<std::pair<std::string_view, Ink>, 3> words{
      {{"error: ", Ink::bad}, {"warning: ", Ink::doubtful}, {"note: ", Ink::remark}}};
  if (palette.is_plain()) return std::string(line);
  const std::string_view first = line.substr(0, line.find('\n'));
  for (const auto& [word, ink] : words) {
    std::size_t at = first.find(word);
    // After nothing, "internal ", or a place: anywhere else it is a word of the message.
    const bool is_kind = at == 0 || (at != std::string_view::npos &&
                                     (first.substr(0, at) == "internal " || first[at - 1] == ' ') &&
                                     (at < 2 || first[at - 2] == ':' || first.substr(0, at) == "internal "));
    if (!is_kind) continue;
    return std::string(line.substr(0, at)) + palette(ink, word.substr(0, word.size() - 1)) +
           std::string(line.substr(at + word.size() - 1));
  }
  return std::string(line);
}

bool stderr_redraws() {
  return is_capable_terminal(STDERR_FILENO);
}

}  // namespace tideline::app
