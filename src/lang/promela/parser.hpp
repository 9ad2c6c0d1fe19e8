// Parser of Promela: tokens to a Program, with several errors reported in one run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/promela/ast.hpp"
#include "lang/promela/tokens.hpp"

namespace tideline::promela {

/// Thrown after a syntax error was recorded, and caught where the parser can continue.
struct Unreadable {};

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, Diagnostics& diagnostics, Program& program);

  /// The whole text.
  void units();
  /// One expression and the end.
  Ex single_expression();

 private:
  // parser.cpp: units and declarations
  void unit();
  void proctype(std::uint32_t active);
  void process_body(Process& process);
  void init();
  void never();
  void inline_definition();
  void structure_definition();
  void message_names();
  void ltl();
  void priority();
  bool at_declaration() const;
  /// Adds the variables; statements of initialisers that are steps go to `steps`.
  void declaration(std::vector<std::unique_ptr<Variable>>& variables, Sequence* steps, bool fields = false);
  void parameters(Process& process);
  Type type();
  ChannelShape channel_shape();
  std::int64_t constant(std::string_view what);
  std::int64_t length(std::string_view what);
  void width(Type& type);
  void declare(const Variable& variable);

  // statements.cpp
  /// `opened` says what the closing word belongs to: "the 'do' of line 4".
  Sequence sequence(std::string_view closing, const std::string& opened);
  void step(Sequence& sequence);
  std::unique_ptr<Statement> statement();
  std::unique_ptr<Statement> bare_statement();
  std::unique_ptr<Statement> options(StatementKind kind);
  std::unique_ptr<Statement> block(StatementKind kind);
  std::unique_ptr<Statement> for_loop();
  std::unique_ptr<Statement> select();
  void leave_out_skips(Sequence& option);
  void check_else(const Statement& options);
  std::unique_ptr<Statement> print();
  std::unique_ptr<Statement> of_variable();
  /// `result_place`: what `return` in the body assigns to, if something is.
  std::unique_ptr<Statement> inline_call(const Ex* result_place = nullptr);
  std::unique_ptr<Statement> return_statement();
  std::vector<Ex> message_arguments(bool receives);
  /// Inside a trace assertion, where sent messages are compared like received ones.
  bool is_trace() const {
    return process_ != nullptr &&
           (process_->kind == ProcessKind::trace || process_->kind == ProcessKind::notrace);
  }
  std::unique_ptr<Statement> make(StatementKind kind, SourcePoint where) const;
  void separator();

  // expressions.cpp
  Ex expression() { return binary(0); }
  Ex binary(int loosest);
  Ex unary();
  Ex primary();
  Ex reference();
  const Variable* field_of(const Ex& reference);
  Ex name_in_expression();
  Ex run();
  Ex receive_argument();
  std::vector<Ex> arguments();
  std::string formula(Formula& formula, int loosest);
  /// `negated`: the operand of a '!', which ends before a comparison.
  std::string formula_operand(Formula& formula, bool negated = false);

  const Variable* find(std::string_view name) const;

  // the token stream
  const Token& current() const { return at_ < end_ ? (*tokens_)[at_] : last_; }
  const Token& ahead(std::size_t n) const { return at_ + n < end_ ? (*tokens_)[at_ + n] : last_; }
  bool at(std::string_view spelling) const { return current().is(spelling); }
  Token take() {
    const Token token = current();
    if (at_ < end_) ++at_;
    return token;
  }
  bool accept(std::string_view spelling) {
    if (!at(spelling)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view spelling, std::string_view context);
  std::string expect_name(std::string_view what);
  [[noreturn]] void fail(SourcePoint where, std::string message);
  [[noreturn]] void fail_expected(std::string_view what);
  [[noreturn]] void fail_unknown_variable(SourcePoint where, const std::string& name);
  /// If the text goes on in another language's way, says how it is written in Promela.
  void refuse_foreign_sign();
  /// The line in its own file.
  std::uint32_t line_of(SourcePoint where) const { return diagnostics_.source().place_of(where.line).line; }
  std::string text_since(std::size_t begin) const;

  struct Inline {
    std::vector<std::string> parameters;
    std::vector<Token> body;
  };

  const std::vector<Token>* tokens_;
  std::size_t at_ = 0;
  std::size_t end_;
  Token last_;
  Diagnostics& diagnostics_;
  Program& program_;
  Process* process_ = nullptr;
  bool before_first_statement_ = false;
  std::vector<std::map<std::string, const Variable*, std::less<>>> scopes_;
  std::map<std::string, Inline, std::less<>> inlines_;
  std::set<std::string, std::less<>> process_names_;
  std::map<std::string, int, std::less<>>
      inline_labels_;  ///< of the current process: how often they were read
  std::uint32_t unnamed_formulas_ = 0;
  std::uint32_t inline_depth_ = 0;
  const Ex* inline_result_ = nullptr;  ///< of the inline whose body is read
  std::uint32_t nesting_ = 0;
};

/// The value of an expression of numbers only.
std::optional<std::int64_t> constant_value(const Ex& ex, const Program& program);

}  // namespace tideline::promela
