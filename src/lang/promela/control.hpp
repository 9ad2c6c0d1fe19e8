// The control graph of a proctype: its states between statements, and the statements as edges.
//
// States are those that SPIN tells apart, so that counts agree. A jump, a break and the end of a block lead straight to
// what follows, except as the first statement of an option, and inside atomic sequences before the last statement, where they
// are steps. An option's
// first statement leaves the state of the whole if or do. An atomic sequence and a d_step have a state of their own before
// them, apart from the states inside.
//
// Escapes are SPIN's, too. What leaves the point before an escape is copied to every point inside of what is guarded, one by
// one to the front, so that the copies stand in the opposite order: an `else` among them comes before the other options and
// can always be taken. The points take their copies in the order of SPIN's numbers. So the escape of an escape can begin only
// where the point has the greater number: at an if, do, atomic sequence or block that begins with the whole.
// A step is possible where no step of another escape before it in the list is (Translation::conditions).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/promela/ast.hpp"

namespace tideline::promela {

using Point = std::uint32_t;

struct ControlStep {
  Point from = 0;
  Point to = 0;
  const Statement* statement = nullptr;  ///< nothing: a jump, which is always possible
  bool goes_on = false;                  ///< the process goes on without others: inside an atomic sequence
  const Statement* d_step = nullptr;     ///< the outermost one around it: the first possible step is taken
  const Statement* escape_of = nullptr;  ///< the `unless` whose escape begins here
  SourcePoint where{};
  std::string text = {};
  std::int32_t number =
      no_statement;  ///< as SPIN counts; nothing inside of a d_step, which has one as a whole
};

struct ControlPoint {
  std::vector<std::uint32_t> steps =
      {};  ///< indices of those that leave it, in a row: escapes, then the text's
  std::vector<std::string> labels = {};
  std::set<std::string> labels_before =
      {};               ///< accept, end and progress labels of options that begin with a step to here
  bool inside = false;  ///< within an atomic sequence or d_step, behind its first step
  bool in_d_step = false;
  SourcePoint where{};

  bool has_label(std::string_view prefix) const;
};

struct ControlGraph {
  std::vector<ControlPoint> points;
  std::vector<ControlStep> steps;
  std::map<std::string, Point, std::less<>> labels;
  Point entry = 0;
  Point finish = 0;  ///< the end of the body
};

/// SPIN lets a label that begins an option (`:: progress: x = 1`) stand for the state behind that statement, not for the one
/// before it, which all options share; so does this, with a warning.
/// `remote_labels`: those that others ask for; there is a point before them in any case.
ControlGraph control_graph(const Process& process, const std::set<std::string, std::less<>>& remote_labels,
                           Diagnostics& diagnostics);

}  // namespace tideline::promela
