#include "lang/lang.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "lang/diagnostics.hpp"
#include "lang/dve/dve.hpp"
#include "lang/dve/tokens.hpp"
#include "lang/expression.hpp"
#include "lang/lts/files.hpp"
#include "lang/pnml/pnml.hpp"
#include "lang/pnml/tokens.hpp"
#include "lang/promela/promela.hpp"
#include "lang/promela/tokens.hpp"
#include "lang/properties.hpp"
#include "lang/psl/psl.hpp"
#include "lang/psl/tokens.hpp"

namespace tideline {

namespace {

constexpr std::size_t max_file_size = std::size_t{256} << 20;

struct Language {
  std::string_view name;  ///< the extension of its files, without the dot
  std::string_view what;
};

/// What help, messages and completion list.
constexpr std::array<Language, 7> languages{{{"dve", "DVE"},
                                             {"promela", "Promela"},
                                             {"pml", "Promela"},
                                             {"psl", "processes"},
                                             {"pnml", "a Petri net"},
                                             {"aut", "an LTS"},
                                             {"net", "LTSs that synchronise"}}};

[[noreturn]] void cannot_read(const std::string& path, std::string_view why) {
  throw Error(ErrorKind::io, fmt::format("cannot read '{}': {}", path, why));
}

/// What says in which language the text is: the extension of its name, unless a language is given.
std::string extension_of(const SourceText& source, const LoadOptions& options = {}) {
  if (!options.language.empty()) return "." + options.language;
  return std::filesystem::path(source.name).extension().string();
}

/// Models of SPIN's users have many endings, and some have none.
bool is_promela(std::string_view extension, std::string_view text) {
  constexpr std::array<std::string_view, 7> endings{".pml", ".promela", ".prom", ".spin",
                                                    ".prm", ".pr",      ".pm"};
  if (std::ranges::find(endings, extension) != endings.end()) return true;
  constexpr std::array<std::string_view, 7> others{".dve", ".psl", ".aut", ".net", ".pnml", ".mdve", ".xml"};
  if (std::ranges::find(others, extension) != others.end()) return false;
  if (text.find("proctype") != std::string_view::npos) return true;
  constexpr std::string_view init = "init";
  for (std::size_t at = text.find(init); at != std::string_view::npos; at = text.find(init, at + 1)) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + init.size());
    if (next != std::string_view::npos && text[next] == '{') return true;
  }
  return false;
}

/// Called once for every text that is read: removes a byte order mark, and refuses NUL bytes, which show that
/// it is not a text. XML may be UTF-16, which its reader understands.
void require_text(SourceText& source, const LoadOptions& options = {}) {
  constexpr std::string_view utf8_mark = "\xef\xbb\xbf";
  if (source.text.starts_with(utf8_mark)) source.text.erase(0, utf8_mark.size());
  const bool utf16 = source.text.starts_with("\xff\xfe") || source.text.starts_with("\xfe\xff");
  const std::string extension = extension_of(source, options);
  // What the standard input has is not known yet.
  if (utf16 && (extension == ".pnml" || extension == ".xml" || source.name == standard_input)) return;
  if (utf16) throw Error(ErrorKind::input, {error_at(source, {}, "this text is UTF-16; save it as UTF-8")});
  if (source.text.find('\0') != std::string::npos)
    throw Error(ErrorKind::input,
                {error_at(source, {}, "this is a binary file (it contains NUL bytes), not text")});
}

/// Every value that the user gives must be one of a constant.
void require_constants(const System& system, const std::vector<Define>& defines) {
  for (const Define& define : defines) {
    const Constant* constant = system.find_constant(define.name);
    if (constant && !constant->is_array) continue;
    Suggestion suggestion(define.name);
    for (const Constant& c : system.constants)
      if (c.owner == no_component && !c.is_array) suggestion.offer(c.name);
    throw Error(ErrorKind::usage, fmt::format("--define: the model has no constant '{}'{}",
                                              abbreviate(define.name), suggestion.text()));
  }
}

void add_property_file(Model& model, const std::string& path) {
  const SourceText source = read_source(path);
  read_properties(property_file_lines(source), source, model.system, model.properties, model.progress);
}

}  // namespace

std::vector<std::string> language_names() {
  std::vector<std::string> names;
  for (const Language& language : languages) names.emplace_back(language.name);
  return names;
}

std::vector<Define> parse_defines(const std::vector<std::string>& texts) {
  std::vector<Define> defines;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    Define define{.name = text.substr(0, sign)};
    const std::string_view value = sign == std::string::npos ? "" : std::string_view(text).substr(sign + 1);
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), define.value);
    if (define.name.empty() || value.empty() || error != std::errc{} || end != value.data() + value.size())
      throw Error(ErrorKind::usage, fmt::format("--define: write NAME=NUMBER, not '{}'", abbreviate(text)));
    if (std::ranges::any_of(defines, [&](const Define& other) { return other.name == define.name; }))
      throw Error(ErrorKind::usage, fmt::format("--define: '{}' gets two values", abbreviate(define.name)));
    defines.push_back(std::move(define));
  }
  return defines;
}

SourceText read_source(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) cannot_read(path, "it is a folder");
  const bool is_stdin = path == standard_input;
  const auto close = [](std::FILE* f) {
    if (f != stdin) std::fclose(f);
  };
  const std::unique_ptr<std::FILE, decltype(close)> file(is_stdin ? stdin : std::fopen(path.c_str(), "rb"),
                                                         close);
  if (!file) cannot_read(path, std::strerror(errno));
  SourceText source{path, {}};
  // Reads in pieces instead of asking for the size: a pipe has none.
  std::string piece(std::size_t{1} << 16, '\0');
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
    if (source.text.size() + count > max_file_size)
      cannot_read(path, fmt::format("it is larger than {} MiB", max_file_size >> 20));
    source.text.append(piece, 0, count);
  }
  if (std::ferror(file.get()) != 0) cannot_read(path, std::strerror(errno));
  require_text(source);
  return source;
}

Model read_model(SourceText source, const LoadOptions& options) {
  Model model;
  model.source = std::move(source);
  require_text(model.source, options);
  std::vector<PropertyLine> lines;
  const auto take = [&](auto reading) {
    model.system = std::move(reading.system);
    lines = std::move(reading.property_lines);
  };
  if (model.source.name == standard_input && options.language.empty())
    throw Error(ErrorKind::usage, fmt::format("a model from the standard input needs --language, one of {}",
                                              fmt::join(language_names(), ", ")));
  const std::string extension = extension_of(model.source, options);
  if (extension == ".dve")
    take(dve::read_model(model.source, options));
  else if (extension == ".psl")
    take(psl::read_model(model.source, options));
  else if (is_promela(extension, model.source.text)) {
    promela::Reading reading = promela::read_model(model.source, options);
    model.source = std::move(reading.source);
    model.properties = std::move(reading.properties);
    take(std::move(reading));
  } else if (extension == ".aut")
    model.system = lts::read_aut_model(model.source, options);
  else if (extension == ".net")
    model.system = lts::read_net_model(model.source, options);
  else if (extension == ".pnml") {
    std::vector<Diagnostic> warnings;
    model.net = std::make_shared<const pnml::Net>(pnml::read_net(model.source, options, &warnings));
    model.system = pnml::to_system(*model.net);
    model.system.warnings = std::move(warnings);
  } else if (extension == ".mdve")
    throw Error(
        ErrorKind::input,
        fmt::format("'{}' has macros; expand them first, and give the result a name that ends with .dve",
                    model.source.name));
  else {
    std::vector<std::string> endings;
    for (const Language& language : languages)
      endings.push_back(fmt::format(".{} ({})", language.name, language.what));
    throw Error(
        ErrorKind::input,
        fmt::format("cannot tell the language of '{}'; give it with --language, or end the name of the "
                    "model with one of {}",
                    model.source.name, fmt::join(endings, ", ")));
  }
  // Those of Promela are macros.
  if (model.system.language != "promela") require_constants(model.system, options.defines);
  read_properties(lines, model.source, model.system, model.properties, model.progress);
  return model;
}

std::string property_file_of(const std::string& model, const std::string& given) {
  return given.empty() ? std::filesystem::path(model).replace_extension(".props").string() : given;
}

Model load_model(const std::string& path, const LoadOptions& options) {
  Model model = read_model(read_source(path), options);
  if (path == standard_input && options.property_file.empty()) return model;
  const std::string file = property_file_of(path, options.property_file);
  std::error_code ignored;
  if (!options.property_file.empty() || std::filesystem::exists(file, ignored))
    add_property_file(model, file);
  return model;
}

Expr read_expression(const System& system, std::string_view text, SourcePoint start,
                     Diagnostics& diagnostics) {
  if (system.language == "dve") return dve::read_expression(system, text, start, diagnostics);
  if (system.language == "promela") return promela::read_expression(system, text, start, diagnostics);
  if (system.language == "psl") return psl::read_expression(system, text, start, diagnostics);
  if (system.language == "pnml") return pnml::read_expression(system, text, start, diagnostics);
  throw Error(ErrorKind::internal, fmt::format("no front-end reads expressions of '{}'", system.language));
}

namespace {
bool is_reserved_in(const std::string& language, std::string_view word) {
  if (language == "promela") return promela::is_reserved_word(word);
  if (language == "dve") return is_reserved<dve::TokenKind>(word);
  if (language == "pnml") return is_reserved<pnml::TokenKind>(word);
  return is_reserved<psl::TokenKind>(word);
}
}  // namespace

std::string why_no_proposition(const System& system, const std::string& name) {
  if (is_reserved_in(system.language, name)) return fmt::format("'{}' is a reserved word", name);
  for (const Proposition& p : system.propositions)
    if (p.name == name) return fmt::format("'{}' is already defined", name);
  if (system.find_variable(name) != nullptr || system.find_constant(name) != nullptr ||
      system.find_component(name) ||
      std::ranges::any_of(system.aliases, [&](const Alias& a) { return !a.slots.empty() && a.name == name; }))
    return fmt::format("'{}' is already a name in the model", name);
  return {};
}

Expr parse_expression(const System& system, std::string_view text, const std::string& origin) {
  const SourceText source{origin, std::string(text)};
  Diagnostics diagnostics(source);
  return read_expression(system, source.text, {1, 1}, diagnostics);
}

}  // namespace tideline
