// Translation: never claims and formulas of ltl blocks as properties.
#include <fmt/format.h>

#include <functional>
#include <utility>

#include "lang/promela/parser.hpp"
#include "lang/promela/translation.hpp"

namespace tideline::promela {

namespace {
constexpr int longest_claim_step = 100;
}

/// A claim moves with every step of the system and reads the state before it, as a property process does. A claim that
/// reaches its end has seen a wrong run, however it goes on.
class ClaimBuilder {
 public:
  ClaimBuilder(const ControlGraph& graph, const std::function<Expr(const Ex&)>& value,
               const std::function<void(SourcePoint, std::string)>& error)
      : graph_(graph), value_(value), error_(error) {}

  PropertyProcess run(std::string name) {
    claim_.name = std::move(name);
    claim_.initial = graph_.entry;
    claim_.accepting.emplace_back();
    for (Point p = 0; p < graph_.points.size(); ++p) {
      const ControlPoint& point = graph_.points[p];
      const bool over = p == graph_.finish || point.has_label("end");
      claim_.locations.push_back({.name = !point.labels.empty() ? point.labels.front() : fmt::format("{}", p),
                                  .where = point.where});
      if (over || point.has_label("accept")) claim_.accepting[0].push_back(p);
      if (over)
        claim_.edges.push_back({.from = p, .to = p});
      else if (!point.inside)
        steps(p, p, Expr::constant(1), 0);
    }
    return std::move(claim_);
  }

 private:
  /// Edges from a point; atomic sequences of the claim are one step.
  void steps(Point from, Point at, const Expr& before, int length) {
    if (length > longest_claim_step)
      return error_(graph_.points[at].where, "this claim has an endless atomic step");
    std::vector<Expr> earlier;
    for (const std::uint32_t number : graph_.points[at].steps) {
      const ControlStep& step = graph_.steps[number];
      const Statement* const s = step.statement;
      Expr guard = Expr::constant(1);
      if (s != nullptr) switch (s->kind) {
          case StatementKind::expression:
            guard = value_(s->value);
            break;
          case StatementKind::assertion: {
            const Expr holds = value_(s->value);
            claim_.edges.push_back({.from = from,
                                    .to = graph_.finish,
                                    .guard = conjunction(before, Expr::unary(Op::logic_not, holds)),
                                    .where = step.where});
            guard = holds;
            break;
          }
          case StatementKind::otherwise:
            guard = Expr::unary(Op::logic_not, balanced(Op::logic_or, earlier, 0));
            break;
          case StatementKind::print:
            break;
          default:
            error_(s->where, "a never claim only watches: it can neither assign, send nor receive");
            break;
        }
      earlier.push_back(guard);
      const Expr together = conjunction(before, guard);
      if (step.goes_on)
        steps(from, step.to, together, length + 1);
      else
        claim_.edges.push_back({.from = from, .to = step.to, .guard = together, .where = step.where});
    }
  }

  const ControlGraph& graph_;
  const std::function<Expr(const Ex&)>& value_;
  const std::function<void(SourcePoint, std::string)>& error_;
  PropertyProcess claim_;
};

void Translation::make_claim() {
  in_claim_ = true;
  for (const auto& process : program_.processes) {
    if (process->kind != ProcessKind::never || system_.property) continue;
    const std::function<Expr(const Ex&)> value = [&](const Ex& ex) {
      return fold_below_atoms(this->value(ex, nullptr), system_.tables);
    };
    const std::function<void(SourcePoint, std::string)> report = [&](SourcePoint where, std::string message) {
      error(where, std::move(message));
    };
    system_.property = ClaimBuilder(graphs_.at(process.get()), value, report)
                           .run(process->name == ":never:" ? "never" : process->name);
  }
  in_claim_ = false;
}

void Translation::make_formulas() {
  in_claim_ = true;
  for (const Formula& formula : program_.formulas) {
    Property property{.name = formula.name, .kind = PropertyKind::ltl, .formula = formula.text};
    for (const auto& [text, ex] : formula.atoms)
      property.atoms.push_back({text, fold_below_atoms(value(ex, nullptr), system_.tables)});
    properties_.push_back(std::move(property));
  }
  in_claim_ = false;
  if (has_accept_labels_ && !system_.property)
    properties_.push_back({.name = "acceptance", .kind = PropertyKind::ltl, .formula = "<>[] !accept_"});
  // Macros are names that properties may use, where they are expressions.
  quiet_ = true;
  for (const auto& [name, ex] : macros_) {
    if (system_.find_variable(name) != nullptr || system_.find_constant(name) != nullptr) continue;
    try {
      system_.propositions.push_back({name, fold_below_atoms(value(ex, nullptr), system_.tables)});
    } catch (const Unreadable&) {
      // It means something else.
    }
  }
  quiet_ = false;
}

}  // namespace tideline::promela
