// Errors and diagnostics: how everything below apps/ reports that it cannot continue.
//
// A Diagnostic is a message that may point into a source text; an Error carries one or more of them and
// is thrown for what ends a query (bad input, bad usage, a file that cannot be read). It is never thrown
// from a hot loop. Rendering happens here so that every front-end's messages look alike:
//
//     peterson.dve:12:7: error: unknown variable 'turm'
//        12 |   guard turm == 1;
//           |         ^
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace tideline {

/// A place in a source text, counted from 1; line 0 means "no place known".
struct SourcePoint {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const SourcePoint&) const = default;
};

/// A text that was read, and the name to use for it in messages.
struct SourceText {
  /// Lines from `first_line` on, up to the next part, are those of a file from line `line_there` on.
  struct Part {
    std::uint32_t first_line = 1;
    std::string file;
    std::uint32_t line_there = 1;
  };

  std::string name;
  std::string text;
  /// Where the text was put together from several files: which line is of which, ascending.
  std::vector<Part> parts = {};

  /// The given line without its end, or an empty string past the end.
  std::string_view line(std::uint32_t number) const;

  /// The file that the line is of, and its number there.
  struct Place {
    std::string file;
    std::uint32_t line = 0;
  };
  Place place_of(std::uint32_t line) const;
};

struct Diagnostic {
  enum class Severity { error, warning };
  Severity severity = Severity::error;
  std::string message = {};
  std::string file = {};         ///< empty when the message is not about a file
  SourcePoint where = {};        ///< line 0 when the message is about the whole file
  std::string source_line = {};  ///< text of that line, shown under the message with a caret
};

Diagnostic error_at(const SourceText& source, SourcePoint where, std::string message);
Diagnostic warning_at(const SourceText& source, SourcePoint where, std::string message);

/// The message as it is printed: "file:line:column: error: message", the line and a caret.
std::string to_string(const Diagnostic& diagnostic);

/// What went wrong decides the exit code: usage, input and io are the caller's errors, internal is ours.
enum class ErrorKind { usage, input, io, internal };

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message);
  Error(ErrorKind kind, std::vector<Diagnostic> diagnostics);

  ErrorKind kind() const { return kind_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// All diagnostics rendered, one after another, without a final newline.
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  ErrorKind kind_;
  std::vector<Diagnostic> diagnostics_;
  std::string text_;
};

}  // namespace tideline
