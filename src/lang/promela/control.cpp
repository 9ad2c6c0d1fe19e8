#include "lang/promela/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tideline::promela {

namespace {

class Builder {
 public:
  Builder(const Process& process, const std::set<std::string, std::less<>>& remote_labels,
          Diagnostics& diagnostics)
      : process_(process), remote_labels_(remote_labels), diagnostics_(diagnostics) {}

  ControlGraph run() {
    graph_.finish = point(process_.where);
    place(process_.body, nullptr, 0);
    graph_.entry = at(process_.body, 0, nullptr);
    emit();
    for (const auto& [name, statement] : labelled_) {
      graph_.labels[name] = before(*statement);
      emit();
      if (!is_skipped(*statement)) graph_.points[graph_.labels[name]].labels.push_back(name);
    }
    add_escapes();
    leave_out_unreachable();
    return std::move(graph_);
  }

 private:
  struct Place {
    const Sequence* list = nullptr;
    std::size_t index = 0;
    const Statement* parent = nullptr;
    std::size_t branch = 0;
  };

  /// A label that begins an option has a point before it, which only a jump leads to; it stays, without steps. The points
  /// before escapes go where nothing else leads to them.
  void leave_out_unreachable() {
    std::vector<bool> reached(graph_.points.size());
    std::vector<Point> todo{graph_.entry};
    reached[graph_.entry] = true;
    while (!todo.empty()) {
      const Point at = todo.back();
      todo.pop_back();
      for (const std::uint32_t step : graph_.points[at].steps) {
        const Point to = graph_.steps[step].to;
        if (!reached[to]) todo.push_back(to);
        reached[to] = true;
      }
    }
    std::vector<bool> stays = reached;
    stays[graph_.finish] = true;
    for (const auto& [name, point] : graph_.labels) stays[point] = true;
    std::vector<Point> renumbered(graph_.points.size());
    Point count = 0;
    for (Point p = 0; p < stays.size(); ++p) renumbered[p] = stays[p] ? count++ : 0;

    ControlGraph kept;
    kept.entry = renumbered[graph_.entry];
    kept.finish = renumbered[graph_.finish];
    for (const auto& [name, point] : graph_.labels) kept.labels[name] = renumbered[point];
    for (Point p = 0; p < stays.size(); ++p) {
      if (!stays[p]) continue;
      ControlPoint& point = kept.points.emplace_back(std::move(graph_.points[p]));
      for (std::uint32_t& number : point.steps) {
        if (!reached[p]) break;
        ControlStep& step = kept.steps.emplace_back(std::move(graph_.steps[number]));
        step.from = renumbered[step.from];
        step.to = renumbered[step.to];
        number = static_cast<std::uint32_t>(kept.steps.size() - 1);
      }
      if (!reached[p]) point.steps.clear();
    }
    graph_ = std::move(kept);
  }

  /// Adds the steps of all points that are known.
  void emit() {
    for (; done_ < work_.size(); ++done_) {
      const auto [statement, from] = work_[done_];
      leave(*statement, from);
    }
  }

  Point point(SourcePoint where) {
    graph_.points.push_back({.where = where});
    return static_cast<Point>(graph_.points.size() - 1);
  }

  void place(const Sequence& list, const Statement* parent, std::size_t branch) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Statement& statement = *list[i];
      places_[&statement] = {&list, i, parent, branch};
      for (const std::string& label : statement.labels) {
        if (labelled_.contains(label))
          diagnostics_.error(statement.where, fmt::format("label '{}' is defined twice", abbreviate(label)));
        labelled_[label] = &statement;
      }
      for (std::size_t b = 0; b < statement.branches.size(); ++b) place(statement.branches[b], &statement, b);
    }
  }

  template <class Wanted>
  const Statement* around(const Statement& statement, const Wanted& wanted) const {
    for (const Statement* s = places_.at(&statement).parent; s != nullptr; s = places_.at(s).parent)
      if (wanted(*s)) return s;
    return nullptr;
  }
  static bool is_atomic(const Statement& s) {
    return s.kind == StatementKind::atomic || s.kind == StatementKind::d_step;
  }
  bool inside(const Statement& s) const { return around(s, is_atomic) != nullptr; }

  bool inside_d_step(const Statement& statement) const {
    return around(statement, [](const Statement& s) { return s.kind == StatementKind::d_step; }) != nullptr;
  }

  /// The outermost d_step around it.
  const Statement* d_step_of(const Statement& statement) const {
    const Statement* found = nullptr;
    for (const Statement* s = &statement; s != nullptr; s = places_.at(s).parent)
      if (s->kind == StatementKind::d_step) found = s;
    return found;
  }

  static bool is_jump(const Statement& s) {
    return s.kind == StatementKind::jump || s.kind == StatementKind::leave;
  }

  /// A jump or break that needs no point of its own. Inside an atomic sequence it needs one where it leads to the end.
  bool is_skipped(const Statement& s) {
    if (!is_jump(s) || has_special_label(s) || std::ranges::any_of(s.labels, [&](const std::string& label) {
          return remote_labels_.contains(label);
        }))
      return false;
    if (!inside(s)) return true;
    const auto [known, is_new] = skipped_.try_emplace(&s, false);  // not where it leads round in a circle
    if (is_new) known->second = goes_on_at(target(s));
    return known->second;
  }

  /// Whether the point is inside an atomic sequence, and not before its last statement or at its end.
  bool goes_on_at(Point p) const { return graph_.points[p].inside && !last_points_.contains(p); }

  /// The last statement of the outermost atomic sequence around it.
  bool is_last(const Statement& statement) const {
    for (const Statement* s = &statement; s != nullptr; s = places_.at(s).parent) {
      if (is_atomic(*s) && !inside(*s)) return true;
      if (s != &statement && s->kind != StatementKind::block && !is_atomic(*s)) return false;
      const Place& place = places_.at(s);
      if (place.index + 1 < place.list->size()) return false;
    }
    return false;
  }

  Point own(const Statement& statement) {
    const auto found = own_.find(&statement);
    if (found != own_.end()) return found->second;
    const Point made = point(statement.where);
    graph_.points[made].inside = inside(statement);
    graph_.points[made].in_d_step = inside_d_step(statement);
    own_[&statement] = made;
    if (statement.branches.empty() && graph_.points[made].inside && is_last(statement))
      last_points_.insert(made);
    work_.emplace_back(&statement, made);
    return made;
  }

  /// Behind an if, do or unless. Inside an atomic sequence its end is a point where that is not the next statement's.
  Point behind(const Statement& statement) {
    const Point next = after(statement);
    return !inside(statement) || goes_on_at(next) ? next : closing(statement);
  }

  /// The end of an if, do or unless inside an atomic sequence, from where a step leads on.
  Point closing(const Statement& statement) {
    // SPIN hands on end labels of options, and no others.
    for (const std::string& label : option_labels_)
      if (label.starts_with("end")) graph_.points[after(statement)].labels_before.insert(label);
    const auto found = closing_.find(&statement);
    if (found != closing_.end()) return found->second;
    const Point made = point(statement.where);
    graph_.points[made].inside = true;
    graph_.points[made].in_d_step = d_step_of(statement) != nullptr;
    closing_[&statement] = made;
    if (is_last(statement)) last_points_.insert(made);
    const std::vector<std::string> labels = std::exchange(option_labels_, {});
    add(made, after(statement), nullptr, statement, "(goto)");
    option_labels_ = labels;
    return made;
  }

  Point before(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::block: {
        const Statement* const parent = places_.at(&statement).parent;
        if (parent == nullptr || parent->kind != StatementKind::unless) return own(statement);
        return at(statement.branches[0], 0, &statement);
      }
      case StatementKind::unless:
        if (!statement.labels.empty()) return own(statement);
        return at(statement.branches[0], 0, &statement);
      case StatementKind::jump:
      case StatementKind::leave: {
        if (!is_skipped(statement)) return own(statement);
        if (jumps_ > 1000) return own(statement);  // goto round in a circle
        ++jumps_;
        const Point result = target(statement);
        --jumps_;
        return result;
      }
      default:
        return own(statement);
    }
  }

  Point target(const Statement& statement) {
    if (statement.kind == StatementKind::jump) {
      const auto found = labelled_.find(statement.name);
      if (found != labelled_.end()) return before(*found->second);
      Suggestion suggestion(statement.name);
      for (const auto& [name, labelled] : labelled_) suggestion.offer(name);
      diagnostics_.error(statement.where,
                         fmt::format("unknown label '{}'{}", abbreviate(statement.name), suggestion.text()));
      return graph_.finish;
    }
    const Statement* loop =
        around(statement, [](const Statement& s) { return s.kind == StatementKind::loop; });
    if (loop == nullptr) {
      diagnostics_.error(statement.where, "'break' outside of 'do'");
      return graph_.finish;
    }
    return behind(*loop);
  }

  Point after(const Statement& statement) {
    const Place& place = places_.at(&statement);
    return at(*place.list, place.index + 1, place.parent);
  }

  /// Where control is before a statement of the list, or behind its last one.
  Point at(const Sequence& list, std::size_t index, const Statement* parent) {
    if (index < list.size()) return before(*list[index]);
    if (parent == nullptr) return graph_.finish;
    if (parent->kind == StatementKind::loop) return own(*parent);
    const bool closes = parent->kind == StatementKind::selection || parent->kind == StatementKind::unless;
    return closes ? behind(*parent) : after(*parent);
  }

  void add(Point from, Point to, const Statement* statement, const Statement& text, std::string shown) {
    ControlStep step{.from = from, .to = to, .statement = statement};
    step.where = text.where;
    step.text = std::move(shown);
    const bool atomic = inside(text) || graph_.points[from].inside;
    step.goes_on = atomic && graph_.points[to].inside;
    step.d_step = d_step_of(text);
    if (step.d_step != nullptr)
      step.number = graph_.points[from].in_d_step ? no_statement : step.d_step->number;
    else if (statement != nullptr || is_jump(text))
      step.number = text.number;
    graph_.points[to].labels_before.insert(option_labels_.begin(), option_labels_.end());
    std::vector<const Statement*> guards;
    for (const Statement* s = &text; s != nullptr; s = places_.at(s).parent) {
      const Place& place = places_.at(s);
      if (place.parent != nullptr && place.parent->kind == StatementKind::unless && place.branch == 0 &&
          !inside_d_step(*place.parent))
        guards.push_back(place.parent);
    }
    if (graph_.points[from].in_d_step) guards.clear();
    graph_.points[from].steps.push_back(static_cast<std::uint32_t>(graph_.steps.size()));
    graph_.steps.push_back(std::move(step));
    guards_.push_back(std::move(guards));
    origins_.push_back(origins_.size());
  }

  // --- escapes --------------------------------------------------------------------------------------------

  void add_escapes() {
    for_each_statement(process_.body, [&](const Statement& statement) {
      if (statement.kind != StatementKind::unless) return;
      if (inside_d_step(statement))
        return diagnostics_.warning(statement.where, "'unless' means nothing inside of a d_step, as in SPIN");
      const Point begin = at(statement.branches[1], 0, &statement);
      escape_points_[&statement] = begin;
      first_escapes_.try_emplace(begin, &statement);
    });
    emit();
    std::vector<std::pair<std::int32_t, Point>> by_number;
    for (const auto& [statement, point] : own_) by_number.emplace_back(number_of(*statement), point);
    std::ranges::sort(by_number);
    for (const auto& [number, point] : by_number) add_escapes(point);
  }

  static std::int32_t number_of(const Statement& s) {
    if (s.number != no_statement || s.branches.empty() || s.branches[0].empty()) return s.number;
    return number_of(*s.branches[0].front());
  }

  void add_escapes(Point from) {
    const std::vector<std::uint32_t> guarded = graph_.points[from].steps;
    for (const std::uint32_t step : guarded)
      for (const Statement* unless : std::vector(guards_[step])) {
        const std::vector<std::uint32_t> ways = graph_.points[escape_points_.at(unless)].steps;
        // The ways into a d_step are one step, in the order of its text.
        for (std::size_t begin = 0, end = 0; begin < ways.size(); begin = end) {
          const Statement* const d_step = graph_.steps[ways[begin]].d_step;
          for (end = begin + 1; end < ways.size() && d_step != nullptr; ++end)
            if (graph_.steps[ways[end]].d_step != d_step) break;
          add_escape(from, unless,
                     {ways.begin() + static_cast<std::ptrdiff_t>(begin),
                      ways.begin() + static_cast<std::ptrdiff_t>(end)});
        }
      }
  }

  /// Puts copies of the steps before those of the point, unless it has them.
  void add_escape(Point from, const Statement* unless, const std::vector<std::uint32_t>& ways) {
    std::vector<std::uint32_t>& there = graph_.points[from].steps;
    const std::size_t origin = origins_[ways.front()];
    if (std::ranges::any_of(there, [&](std::uint32_t step) { return origins_[step] == origin; })) return;
    std::vector<std::uint32_t> copies;
    for (const std::uint32_t way : ways) {
      ControlStep copy = graph_.steps[way];
      copy.from = from;
      copy.goes_on = copy.goes_on || (graph_.points[from].inside && graph_.points[copy.to].inside);
      copy.escape_of = first_escapes_.at(escape_points_.at(unless));
      copies.push_back(static_cast<std::uint32_t>(graph_.steps.size()));
      graph_.steps.push_back(std::move(copy));
      guards_.push_back(std::vector(guards_[way]));
      origins_.push_back(origins_[way]);
    }
    there.insert(there.begin(), copies.begin(), copies.end());
  }

  // --- steps ----------------------------------------------------------------------------------------------

  void leave_first(const Sequence& list, const Statement* parent, Point from) {
    if (list.empty()) {
      if (parent->kind != StatementKind::selection && parent->kind != StatementKind::loop)
        add(from, after(*parent), nullptr, *parent, "(goto)");
      return;
    }
    const std::size_t outer = option_labels_.size();
    for (const std::string& label : list[0]->labels) {
      if (!is_special_label(label)) continue;
      option_labels_.push_back(label);
      if (warned_.insert(label).second)
        diagnostics_.warning(
            list[0]->where,
            fmt::format(
                "label '{}' begins an option, so that it is about the state behind this statement, as in "
                "SPIN; for the state before it, write the label in front of the 'do' or 'if'",
                abbreviate(label)));
    }
    leave(*list[0], from);
    option_labels_.resize(outer);
  }

  /// Adds the steps of a statement from a point, which may be shared with other options.
  void leave(const Statement& statement, Point from) {
    switch (statement.kind) {
      case StatementKind::selection:
      case StatementKind::loop:
        // An else comes last among its options. It looks at what comes before it, also where the whole is itself the first
        // statement of an option.
        for (const bool otherwise : {false, true})
          for (const Sequence& branch : statement.branches)
            if ((!branch.empty() && branch[0]->kind == StatementKind::otherwise) == otherwise)
              leave_first(branch, &statement, from);
        return;
      case StatementKind::d_step: {
        // What labels it as the first of an option is about the state behind all of it.
        const std::vector<std::string> labels = std::exchange(option_labels_, {});
        graph_.points[after(statement)].labels_before.insert(labels.begin(), labels.end());
        leave_first(statement.branches[0], &statement, from);
        option_labels_ = labels;
        return;
      }
      case StatementKind::atomic:
      case StatementKind::block:
      case StatementKind::unless:
        return leave_first(statement.branches[0], &statement, from);
      case StatementKind::jump:
      case StatementKind::leave:
        return add(from, target(statement), nullptr, statement, statement.text);
      default:
        return add(from, after(statement), &statement, statement, statement.text);
    }
  }

  const Process& process_;
  const std::set<std::string, std::less<>>& remote_labels_;
  Diagnostics& diagnostics_;
  ControlGraph graph_;
  std::map<const Statement*, Place> places_;
  std::map<std::string, const Statement*, std::less<>> labelled_;
  std::map<const Statement*, Point> own_;
  std::map<const Statement*, Point> closing_;
  std::map<const Statement*, bool> skipped_;  ///< of the jumps inside atomic sequences
  std::set<Point> last_points_;  ///< before the last statement of an atomic sequence, or at its end
  std::vector<std::vector<const Statement*>> guards_;  ///< by step: the `unless` around it, innermost first
  std::vector<std::size_t> origins_;                   ///< by step: the one that it is a copy of, or itself
  std::map<const Statement*, Point> escape_points_;    ///< by `unless`: before its escape
  std::map<Point, const Statement*> first_escapes_;  ///< the `unless` that stands for all that escape to here
  std::vector<std::pair<const Statement*, Point>> work_;
  std::size_t done_ = 0;
  std::vector<std::string> option_labels_;  ///< accept, end and progress labels of the options being added
  std::set<std::string> warned_;
  int jumps_ = 0;
};

}  // namespace

bool ControlPoint::has_label(std::string_view prefix) const {
  const auto begins = [&](const std::string& label) { return label.starts_with(prefix); };
  return std::ranges::any_of(labels, begins) || std::ranges::any_of(labels_before, begins);
}

ControlGraph control_graph(const Process& process, const std::set<std::string, std::less<>>& remote_labels,
                           Diagnostics& diagnostics) {
  return Builder(process, remote_labels, diagnostics).run();
}

}  // namespace tideline::promela
