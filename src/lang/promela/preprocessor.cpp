#include "lang/promela/preprocessor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "model/expr.hpp"

namespace tideline::promela {

namespace {

constexpr std::size_t deepest_include = 32;
constexpr std::size_t most_tokens = 4'000'000;

struct Macro {
  bool has_parameters = false;
  std::vector<std::string> parameters = {};
  bool takes_rest = false;  ///< the last parameter stands for all arguments that are left
  std::vector<Token> body = {};
};
using Macros = std::map<std::string, Macro, std::less<>>;

/// Thrown when macros make more text than any model has.
struct TooLong {};

/// Expands macros: a stack of token lists, the innermost macro's body on top. A macro is not expanded again
/// while its own body is on the stack.
class Expander {
 public:
  Expander(const Macros& macros, Diagnostics& diagnostics) : macros_(macros), diagnostics_(diagnostics) {}

  void expand(const std::vector<Token>& input, std::vector<Token>& output) { run(input, {}, output, 0); }

 private:
  struct Frame {
    std::vector<Token> tokens;
    std::size_t at = 0;
    std::string macro;  ///< whose body it is; empty: the text itself
  };

  void run(const std::vector<Token>& input, const std::set<std::string>& busy, std::vector<Token>& output,
           std::size_t depth) {
    std::vector<Frame> stack;
    stack.push_back({input, 0, {}});
    while (!stack.empty()) {
      if (stack.back().at == stack.back().tokens.size()) {
        stack.pop_back();
        continue;
      }
      Token token = stack.back().tokens[stack.back().at++];
      if (output.size() > most_tokens) throw TooLong{};
      if (token.kind != TokenKind::name || is_busy(token.spelling, busy, stack)) {
        output.push_back(std::move(token));
        continue;
      }
      if (token.spelling == "__LINE__") {
        token = {TokenKind::number, std::to_string(token.where.line),
                 token.where,       token.where.line,
                 token.after_blank, true};
        output.push_back(std::move(token));
        continue;
      }
      const auto found = macros_.find(token.spelling);
      if (found == macros_.end()) {
        output.push_back(std::move(token));
        continue;
      }
      const Macro& macro = found->second;
      std::vector<std::vector<Token>> arguments;
      if (macro.has_parameters && !take_arguments(token, macro, stack, arguments)) {
        output.push_back(std::move(token));
        continue;
      }
      if (depth > 200 || stack.size() > 2000) throw TooLong{};
      std::vector<Token> body = substitute(token, macro, arguments, busy, stack, depth);
      total_ += body.size();
      if (total_ > most_tokens) throw TooLong{};
      stack.push_back({std::move(body), 0, token.spelling});
    }
  }

  static bool is_busy(const std::string& name, const std::set<std::string>& busy,
                      const std::vector<Frame>& stack) {
    return busy.contains(name) ||
           std::ranges::any_of(stack, [&](const Frame& frame) { return frame.macro == name; });
  }

  /// False: no '(' follows, so that the name stands for itself.
  bool take_arguments(const Token& name, const Macro& macro, std::vector<Frame>& stack,
                      std::vector<std::vector<Token>>& arguments) {
    std::size_t level = stack.size();
    while (level != 0 && stack[level - 1].at == stack[level - 1].tokens.size()) --level;
    if (level == 0 || !stack[level - 1].tokens[stack[level - 1].at].is("(")) return false;
    stack.resize(level);
    ++stack.back().at;
    arguments.emplace_back();
    int open = 1;
    for (;;) {
      while (!stack.empty() && stack.back().at == stack.back().tokens.size()) stack.pop_back();
      if (stack.empty()) {
        diagnostics_.error(name.where,
                           fmt::format("the arguments of macro '{}' have no closing ')'", name.spelling));
        break;
      }
      Token token = stack.back().tokens[stack.back().at++];
      if (token.is("(")) ++open;
      if (token.is(")") && --open == 0) break;
      const bool is_rest = macro.takes_rest && arguments.size() == macro.parameters.size();
      if (token.is(",") && open == 1 && !is_rest)
        arguments.emplace_back();
      else
        arguments.back().push_back(std::move(token));
    }
    if (macro.takes_rest && arguments.size() + 1 == macro.parameters.size()) arguments.emplace_back();
    if (macro.parameters.empty() && arguments.size() == 1 && arguments[0].empty()) arguments.clear();
    if (arguments.size() != macro.parameters.size()) {
      diagnostics_.error(name.where,
                         fmt::format("macro '{}' takes {}, not {}", name.spelling,
                                     count_of(macro.parameters.size(), "argument"), arguments.size()));
      arguments.resize(macro.parameters.size());
    }
    return true;
  }

  std::vector<Token> substitute(const Token& name, const Macro& macro,
                                const std::vector<std::vector<Token>>& arguments,
                                const std::set<std::string>& busy, const std::vector<Frame>& stack,
                                std::size_t depth) {
    std::vector<Token> result;
    const auto parameter = [&](const Token& token) -> std::optional<std::size_t> {
      if (token.kind != TokenKind::name) return std::nullopt;
      const auto found = std::ranges::find(macro.parameters, token.spelling);
      if (found == macro.parameters.end()) return std::nullopt;
      return static_cast<std::size_t>(found - macro.parameters.begin());
    };
    std::set<std::string> inner = busy;
    for (const Frame& frame : stack)
      if (!frame.macro.empty()) inner.insert(frame.macro);
    for (std::size_t i = 0; i < macro.body.size(); ++i) {
      const Token& token = macro.body[i];
      const bool pastes = i + 1 < macro.body.size() && macro.body[i + 1].is("##");
      if (token.is("##") && !result.empty() && i + 1 < macro.body.size()) {
        const Token& right = macro.body[++i];
        std::vector<Token> tail{right};
        if (const auto p = parameter(right)) tail = arguments[*p];
        if (!tail.empty()) {
          const std::string joined = result.back().spelling + tail.front().spelling;
          std::vector<LexicalFault> faults;
          std::vector<Token> pasted;
          tokenize(joined, name.where, pasted, faults);
          result.pop_back();
          result.insert(result.end(), pasted.begin(), pasted.end());
          result.insert(result.end(), tail.begin() + 1, tail.end());
        }
        continue;
      }
      if (macro.has_parameters && token.is("#") && i + 1 < macro.body.size()) {
        if (const auto p = parameter(macro.body[i + 1])) {
          result.push_back(
              {TokenKind::text, fmt::format("\"{}\"", to_text(arguments[*p])), name.where, 0, true, true});
          ++i;
          continue;
        }
      }
      if (const auto p = parameter(token)) {
        std::vector<Token> value;
        if (pastes)
          value = arguments[*p];
        else
          run(arguments[*p], inner, value, depth + 1);
        if (!value.empty()) value.front().after_blank = token.after_blank;
        result.insert(result.end(), value.begin(), value.end());
      } else {
        result.push_back(token);
      }
    }
    for (Token& token : result) {
      token.where = name.where;
      token.from_macro = true;
    }
    if (!result.empty()) result.front().after_blank = name.after_blank;
    return result;
  }

  const Macros& macros_;
  Diagnostics& diagnostics_;
  std::size_t total_ = 0;
};

/// The value of the expression of an #if: integers, defined(X), and the operators of C.
class Condition {
 public:
  Condition(const std::vector<Token>& tokens, SourcePoint where, Diagnostics& diagnostics)
      : tokens_(tokens), where_(where), diagnostics_(diagnostics) {}

  bool value() {
    const std::int64_t result = binary(0);
    if (at_ != tokens_.size()) fail();
    return !failed_ && result != 0;
  }

 private:
  void fail() {
    if (!failed_) diagnostics_.error(where_, "expected an expression of integers after '#if'");
    failed_ = true;
    at_ = tokens_.size();
  }
  std::int64_t binary(int loosest) {
    if (++depth_ > 200) fail();
    std::int64_t left = unary();
    while (at_ < tokens_.size()) {
      const BinaryLevel* const found = level_of(tokens_[at_]);
      if (!found || found->level < loosest) break;
      ++at_;
      const std::int64_t right = binary(found->level + 1);
      ModelErrorKind error = ModelErrorKind::none;
      left = apply_binary(found->op, left, right, error);
      if (error != ModelErrorKind::none) fail();
    }
    --depth_;
    return left;
  }
  std::int64_t unary() {
    if (at_ >= tokens_.size() || depth_ > 200) {
      fail();
      return 0;
    }
    ++depth_;
    const Token& token = tokens_[at_++];
    std::int64_t value = 0;
    if (token.is("!"))
      value = unary() == 0 ? 1 : 0;
    else if (token.is("-"))
      value = -unary();
    else if (token.is("+"))
      value = unary();
    else if (token.is("~"))
      value = ~unary();
    else if (token.is("(")) {
      value = binary(0);
      if (at_ >= tokens_.size() || !tokens_[at_].is(")"))
        fail();
      else
        ++at_;
    } else if (token.kind == TokenKind::number)
      value = token.value;
    else if (token.kind != TokenKind::name)  // a name that is not a macro is 0
      fail();
    --depth_;
    return value;
  }

  const std::vector<Token>& tokens_;
  SourcePoint where_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

class Preprocessor {
 public:
  Preprocessor(SourceText& source, Diagnostics& diagnostics, const FileReader& read,
               const std::vector<Define>& defines)
      : source_(source), diagnostics_(diagnostics), read_(read) {
    for (const Define& define : defines) {
      macros_[define.name].body = {
          {TokenKind::number, std::to_string(define.value), {}, define.value, true, true}};
      given_.insert(define.name);
      unused_.insert(define.name);
    }
  }

  Preprocessed run() {
    const SourceText own{source_.name, source_.text};
    source_.text.clear();
    source_.parts.clear();
    Preprocessed result;
    try {
      file(own, 0);
      flush();
    } catch (const TooLong&) {
      diagnostics_.error({line_, 1}, "macros make more text than can be read; do they use each other?");
    }
    result.tokens = std::move(output_);
    for (auto& [name, macro] : macros_)
      if (!macro.has_parameters) result.macros.push_back({name, macro.body});
    result.unused_defines.assign(unused_.begin(), unused_.end());
    return result;
  }

 private:
  struct Branch {
    bool active;      ///< its lines are read
    bool was_active;  ///< some branch of this #if was
    bool outer;       ///< what is around it is read
    SourcePoint where;
  };

  bool active() const { return branches_.empty() || branches_.back().active; }

  void file(const SourceText& file, std::size_t depth) {
    const std::size_t open_branches = branches_.size();
    source_.parts.push_back({line_ + 1, file.name, 1});
    std::string_view rest = file.text;
    std::uint32_t number = 0;
    bool in_comment = false;
    while (!rest.empty()) {
      // A logical line: those joined by a backslash, and by a comment that goes on.
      const std::uint32_t first = line_ + 1;
      std::string logical;
      std::vector<std::pair<std::size_t, std::uint32_t>> starts;  // where in it which line begins
      bool more = true;
      while (more && !rest.empty()) {
        const std::size_t end = rest.find('\n');
        std::string_view physical = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        source_.text.append(physical).push_back('\n');
        ++line_;
        ++number;
        if (physical.ends_with('\r')) physical.remove_suffix(1);
        more = physical.ends_with('\\');
        if (more) physical.remove_suffix(1);
        starts.emplace_back(logical.size(), line_);
        const bool was_in_comment = in_comment;
        strip(physical, logical, in_comment);
        if (in_comment && (!was_in_comment || physical.find("*/") != std::string_view::npos))
          comment_ = {line_, static_cast<std::uint32_t>(physical.rfind("/*") + 1)};
        if (in_comment && is_directive(logical)) more = true;
      }
      line(logical, starts, first, file, depth, number);
    }
    if (in_comment) diagnostics_.error(comment_, "this comment is not closed by '*/'");
    while (branches_.size() > open_branches) {
      diagnostics_.error(branches_.back().where, "this condition has no '#endif'");
      branches_.pop_back();
    }
  }

  static bool is_embedded_c(const Token& token) {
    return token.is("c_code") || token.is("c_decl") || token.is("c_expr") || token.is("c_state") ||
           token.is("c_track");
  }

  static bool is_directive(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    return first != std::string_view::npos && line[first] == '#';
  }

  /// Appends the line with blanks for comments, so that columns stay.
  static void strip(std::string_view line, std::string& out, bool& in_comment) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const char next = i + 1 < line.size() ? line[i + 1] : '\0';
      if (in_comment) {
        out += c == '\t' ? '\t' : ' ';
        if (c == '*' && next == '/') {
          in_comment = false;
          out += ' ';
          ++i;
        }
      } else if (quote != 0) {
        out += c;
        if (c == '\\' && next != '\0') {
          out += next;
          ++i;
        } else if (c == quote) {
          quote = 0;
        }
      } else if (c == '/' && next == '*') {
        in_comment = true;
        out += "  ";
        ++i;
      } else if (c == '*' && next == '/') {
        // The end of a comment inside of a comment.
        out += "  ";
        ++i;
      } else if (c == '/' && next == '/') {
        return;
      } else {
        if (c == '"') quote = c;
        // An apostrophe begins a character only where one can be: comments of others contain them.
        if (c == '\'' && (next == '\\' || (i + 2 < line.size() && line[i + 2] == '\''))) quote = c;
        out += c;
      }
    }
  }

  using Starts = std::vector<std::pair<std::size_t, std::uint32_t>>;

  std::vector<Token> tokens_of(std::string_view logical, const Starts& starts) {
    std::vector<Token> tokens;
    std::vector<LexicalFault> faults;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::size_t end = i + 1 < starts.size() ? starts[i + 1].first : logical.size();
      tokenize(logical.substr(starts[i].first, end - starts[i].first), {starts[i].second, 1}, tokens, faults);
    }
    for (LexicalFault& fault : faults) diagnostics_.error(fault.where, std::move(fault.message));
    if (!unused_.empty())
      for (const Token& token : tokens) unused_.erase(token.spelling);
    return tokens;
  }

  void line(const std::string& logical, const Starts& starts, std::uint32_t first, const SourceText& file,
            std::size_t depth, std::uint32_t number) {
    if (!is_directive(logical)) {
      if (!active()) return;
      std::vector<Token> tokens = tokens_of(logical, starts);
      for (const Token& token : tokens)
        if (token.spelling.starts_with("c_") && is_embedded_c(token)) refuse_embedded_c(source_, token);
      pending_.insert(pending_.end(), std::make_move_iterator(tokens.begin()),
                      std::make_move_iterator(tokens.end()));
      return;
    }
    const std::size_t sign = logical.find('#');
    const std::size_t begin = logical.find_first_not_of(" \t", sign + 1);
    if (begin == std::string::npos) return;
    std::size_t end = begin;
    while (end < logical.size() && logical[end] >= 'a' && logical[end] <= 'z') ++end;
    const std::string word = logical.substr(begin, end - begin);
    const SourcePoint where{first, static_cast<std::uint32_t>(sign + 1)};
    if (conditional(word, logical, starts, end, where)) return;
    if (!active()) return;
    if (word == "include") return include(logical.substr(end), where, file, depth, number);
    std::vector<Token> tokens = rest_of(logical, starts, end);
    if (word == "define")
      define(tokens, where);
    else if (word == "undef") {
      flush();
      if (!tokens.empty() && !given_.contains(tokens[0].spelling)) macros_.erase(tokens[0].spelling);
    } else if (word == "error")
      diagnostics_.error(where, fmt::format("#error {}", to_text(tokens)));
    else if (word != "line" && word != "pragma" && word != "warning" && word != "ident" && !word.empty())
      diagnostics_.error(where, fmt::format("unknown directive '#{}'", word));
  }

  std::vector<Token> rest_of(const std::string& logical, const Starts& starts, std::size_t end) {
    std::string blanked = logical;
    std::fill(blanked.begin(), blanked.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    return tokens_of(blanked, starts);
  }

  bool conditional(const std::string& word, const std::string& logical, const Starts& starts, std::size_t end,
                   SourcePoint where) {
    if (word == "ifdef" || word == "ifndef" || word == "if") {
      const bool outer = active();
      const bool value = outer && truth(word, rest_of(logical, starts, end), where);
      branches_.push_back({value, value, outer, where});
      return true;
    }
    if (word != "elif" && word != "else" && word != "endif") return false;
    if (branches_.empty()) {
      diagnostics_.error(where, fmt::format("'#{}' without '#if'", word));
      return true;
    }
    Branch& branch = branches_.back();
    if (word == "endif") {
      branches_.pop_back();
    } else if (word == "else" || branch.was_active) {
      branch.active = branch.outer && !branch.was_active;
      branch.was_active = true;
    } else {
      branch.active = branch.outer && truth("if", rest_of(logical, starts, end), where);
      branch.was_active = branch.active;
    }
    return true;
  }

  bool truth(const std::string& word, const std::vector<Token>& tokens, SourcePoint where) {
    if (word != "if") {
      if (tokens.empty() || tokens[0].kind != TokenKind::name) {
        diagnostics_.error(where, fmt::format("expected a name after '#{}'", word));
        return false;
      }
      return macros_.contains(tokens[0].spelling) == (word == "ifdef");
    }
    std::vector<Token> plain;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is("defined")) {
        plain.push_back(tokens[i]);
        continue;
      }
      const bool paren = i + 1 < tokens.size() && tokens[i + 1].is("(");
      const std::size_t name = i + (paren ? 2 : 1);
      const bool known = name < tokens.size() && macros_.contains(tokens[name].spelling);
      plain.push_back({TokenKind::number, known ? "1" : "0", where, known ? 1 : 0, true, false});
      i = name + (paren ? 1 : 0);
    }
    std::vector<Token> expanded;
    Expander(macros_, diagnostics_).expand(plain, expanded);
    return Condition(expanded, where, diagnostics_).value();
  }

  void define(std::vector<Token>& tokens, SourcePoint where) {
    flush();
    if (tokens.empty() || tokens[0].kind != TokenKind::name)
      return diagnostics_.error(where, "expected the name of a macro after '#define'");
    Macro macro;
    std::size_t body = 1;
    if (tokens.size() > 1 && tokens[1].is("(") && !tokens[1].after_blank) {
      macro.has_parameters = true;
      for (body = 2; body < tokens.size() && !tokens[body].is(")"); ++body) {
        if (tokens[body].kind == TokenKind::name) macro.parameters.push_back(tokens[body].spelling);
        if (!tokens[body].is("...")) continue;
        macro.takes_rest = true;
        if (tokens[body - 1].kind != TokenKind::name) macro.parameters.emplace_back("__VA_ARGS__");
      }
      if (body == tokens.size())
        return diagnostics_.error(tokens[1].where, "the parameters of this macro have no closing ')'");
      ++body;
    }
    macro.body.assign(std::make_move_iterator(tokens.begin() + static_cast<std::ptrdiff_t>(body)),
                      std::make_move_iterator(tokens.end()));
    if (!given_.contains(tokens[0].spelling)) macros_[tokens[0].spelling] = std::move(macro);
  }

  void include(std::string text, SourcePoint where, const SourceText& file, std::size_t depth,
               std::uint32_t number) {
    flush();
    const std::size_t open = text.find_first_of("\"<");
    const std::size_t close = open == std::string::npos ? open : text.find_first_of("\">", open + 1);
    if (close == std::string::npos) return diagnostics_.error(where, "expected '#include \"file\"'");
    const std::string name = text.substr(open + 1, close - open - 1);
    if (depth >= deepest_include)
      return diagnostics_.error(where,
                                fmt::format("files include each other deeper than {}", deepest_include));
    namespace fs = std::filesystem;
    const fs::path given(name);
    const fs::path path = given.is_absolute() ? given : fs::path(file.name).parent_path() / given;
    std::optional<SourceText> included;
    try {
      included = read_(path.string());
    } catch (const Error& error) {
      return diagnostics_.error(where, error.diagnostics().front().message);
    }
    this->file(*included, depth + 1);
    source_.parts.push_back({line_ + 1, file.name, number + 1});
  }

  void flush() {
    if (pending_.empty()) return;
    Expander(macros_, diagnostics_).expand(pending_, output_);
    pending_.clear();
  }

  SourceText& source_;
  Diagnostics& diagnostics_;
  const FileReader& read_;
  Macros macros_;
  std::set<std::string> given_;   ///< macros from outside
  std::set<std::string> unused_;  ///< those of them that the text has not named yet
  std::vector<Branch> branches_;
  std::vector<Token> pending_;  ///< read, with the macros of now still to be expanded
  std::vector<Token> output_;
  SourcePoint comment_;     ///< where the last one that goes on over lines begins
  std::uint32_t line_ = 0;  ///< of the text made so far
};

}  // namespace

Preprocessed preprocess(SourceText& source, Diagnostics& diagnostics, const FileReader& read,
                        const std::vector<Define>& defines) {
  return Preprocessor(source, diagnostics, read, defines).run();
}

}  // namespace tideline::promela
