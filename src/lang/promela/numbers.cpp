// The numbers that SPIN gives to the statements of a model, which are what its trails are made of.
//
// SPIN counts through the whole text, in the order in which its parser has read a statement to the end: those inside of
// another one come before it. An `if`, a `do` and an `unless` take further numbers for the ends of what they are made of, and
// the end of a body takes one, too. Blocks have numbers of their own, but for those on both sides of `unless`.
#include <algorithm>

#include "lang/promela/ast.hpp"

namespace tideline::promela {

namespace {

class Numbering {
 public:
  void body(Process& process) {
    sequence(process.body);
    process.end_number = next_++;
  }

 private:
  void sequence(Sequence& list) {
    for (auto& statement : list) {
      inside(*statement);
      itself(*statement);
    }
  }

  /// What is inside of the statement.
  void inside(Statement& s) {
    if (s.kind != StatementKind::unless) {
      for (Sequence& branch : s.branches) sequence(branch);
      return;
    }
    Statement& guarded = *s.branches[0].front();
    Statement& escape = *s.branches[1].front();
    inside(guarded);
    inside(escape);
    if (escape.kind != StatementKind::block) itself(escape);
    // Under a label the whole is put into another block.
    if (guarded.kind != StatementKind::block && s.labels.empty()) itself(guarded);
  }

  void itself(Statement& s) {
    if (s.kind == StatementKind::nothing || !s.is_written) return;
    s.number = next_++;
    if (s.kind == StatementKind::selection || s.kind == StatementKind::unless) next_ += 1;
    if (s.kind == StatementKind::loop) next_ += 2;
    if (s.kind == StatementKind::unless && !s.labels.empty()) next_ += 1;
    // A jump that has such a label is preceded by a step that bears it.
    const bool jumps = s.kind == StatementKind::jump || s.kind == StatementKind::leave;
    if (jumps && has_special_label(s)) s.number = next_++;
    next_ += s.left_out;
  }

  std::int32_t next_ = 0;
};

}  // namespace

bool is_special_label(std::string_view label) {
  return label.starts_with("accept") || label.starts_with("end") || label.starts_with("progress");
}

bool has_special_label(const Statement& statement) {
  return std::ranges::any_of(statement.labels, is_special_label);
}

void number_statements(Program& program) {
  Numbering numbering;
  for (auto& process : program.processes) numbering.body(*process);
}

}  // namespace tideline::promela
