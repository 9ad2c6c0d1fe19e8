// Diagnostics: collects the errors and warnings about one text, so that a run shows several errors.
//
// Collecting is bounded: the 20th error ends the run, and an error on a monstrously long line does so at
// once, because a generated or binary file would otherwise produce them (and copies of its lines) for ever.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/error.hpp"

namespace tideline {

class Diagnostics {
 public:
  static constexpr std::size_t max_errors = 20;
  static constexpr std::size_t max_warnings = 20;
  static constexpr std::size_t max_line = std::size_t{64} << 10;

  explicit Diagnostics(const SourceText& source) : source_(source) {}

  const SourceText& source() const { return source_; }

  /// Records an error; throws all of them when there are too many to continue.
  void error(SourcePoint where, std::string message);
  void warning(SourcePoint where, std::string message);

  bool has_errors() const { return !errors_.empty(); }
  /// Throws Error(input) with every error so far in the order of the text, if there is one.
  void throw_if_errors();
  std::vector<Diagnostic> take_warnings() { return std::move(warnings_); }

 private:
  const SourceText& source_;
  std::vector<Diagnostic> errors_;
  std::vector<Diagnostic> warnings_;
};

/// A name or token as a message shows it: shortened when it is too long to read, and without
/// control characters.
std::string abbreviate(std::string_view text);

/// Finds among the offered names the one most like an unknown one.
class Suggestion {
 public:
  explicit Suggestion(std::string_view unknown) : unknown_(unknown) {}
  void offer(std::string_view candidate);
  /// "; did you mean 'turn'?", or nothing: a name is within two edits, begins with the unknown one, or is the
  /// same but for capitals.
  std::string text() const;

 private:
  std::string_view unknown_;
  std::string best_;
  std::size_t best_distance_ = 3;
};

}  // namespace tideline
