#include "model/ctl_formula.hpp"

#include <algorithm>

namespace tideline {

namespace {

using FormulaOp = CtlFormula::Op;
using NodeId = CtlFormula::NodeId;

/// Writes the claim that a node has a value, with negations moved to the atoms. Subformulas are shared and
/// may be printed many times over, so the length is limited.
class Printer {
 public:
  explicit Printer(const CtlFormula& formula) : formula_(formula) {}

  std::string take(NodeId node, bool value) {
    print(node, value, false);
    if (text_.size() > longest) text_ = text_.substr(0, longest) + "...";
    return std::move(text_);
  }

 private:
  static constexpr std::size_t longest = 200;

  void print(NodeId id, bool value, bool nested) {
    if (text_.size() > longest) return;
    const CtlFormula::Node& node = formula_.nodes[id];
    switch (node.op) {
      case FormulaOp::true_:
        text_ += value ? "true" : "false";
        break;
      case FormulaOp::atom:
        print_atom(formula_.atom_names[node.left], value);
        break;
      case FormulaOp::not_:
        print(node.left, !value, nested);
        break;
      case FormulaOp::and_:
      case FormulaOp::or_:
        print_two(node, value, (node.op == FormulaOp::and_) == value ? " && " : " || ", nested);
        break;
      case FormulaOp::ex:
        print_prefixed(value ? "EX" : "AX", node.left, value);
        break;
      case FormulaOp::eg:
        print_prefixed(value ? "EG" : "AF", node.left, value);
        break;
      case FormulaOp::eu:
        if (formula_.nodes[node.left].op == FormulaOp::true_) {
          print_prefixed(value ? "EF" : "AG", node.right, value);
        } else {
          text_ += value ? "E" : "A";
          print_two(node, value, value ? " U " : " R ", true);
        }
        break;
    }
  }

  void print_prefixed(const char* operation, NodeId operand, bool value) {
    text_ += operation;
    const std::size_t start = text_.size();
    print(operand, value, true);
    if (start < text_.size() && text_[start] != '(') text_.insert(start, 1, ' ');
  }

  void print_two(const CtlFormula::Node& node, bool value, const char* operation, bool parentheses) {
    if (parentheses) text_ += '(';
    print(node.left, value, true);
    text_ += operation;
    print(node.right, value, true);
    if (parentheses) text_ += ')';
  }

  void print_atom(const std::string& name, bool value) {
    const bool word = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             c == '.';
    });
    if (!value) text_ += '!';
    text_ += word ? name : '"' + name + '"';
  }

  const CtlFormula& formula_;
  std::string text_;
};

}  // namespace

std::string_view to_string(DeadlockPaths paths) {
  return paths == DeadlockPaths::stutter ? "stutter" : "maximal";
}

std::optional<DeadlockPaths> deadlock_paths_from(std::string_view text) {
  for (const DeadlockPaths paths : {DeadlockPaths::stutter, DeadlockPaths::maximal})
    if (to_string(paths) == text) return paths;
  return std::nullopt;
}

bool is_state_formula(const CtlFormula& formula, NodeId node) {
  std::vector<bool> temporal(node + 1);
  for (NodeId id = 0; id <= node; ++id) {
    const auto& [op, left, right] = formula.nodes[id];
    switch (op) {
      case FormulaOp::true_:
      case FormulaOp::atom:
        break;
      case FormulaOp::not_:
        temporal[id] = temporal[left];
        break;
      case FormulaOp::and_:
      case FormulaOp::or_:
        temporal[id] = temporal[left] || temporal[right];
        break;
      case FormulaOp::ex:
      case FormulaOp::eu:
      case FormulaOp::eg:
        temporal[id] = true;
        break;
    }
  }
  return !temporal[node];
}

Expr state_expression(const CtlFormula& formula, NodeId node) {
  const auto& [op, left, right] = formula.nodes[node];
  switch (op) {
    case FormulaOp::atom:
      return formula.atoms[left];
    case FormulaOp::not_:
      return Expr::unary(Op::logic_not, state_expression(formula, left));
    case FormulaOp::and_:
    case FormulaOp::or_:
      return Expr::binary(op == FormulaOp::and_ ? Op::logic_and : Op::logic_or,
                          state_expression(formula, left), state_expression(formula, right));
    default:
      return Expr::constant(1);
  }
}

Expr AlwaysForm::goal(const CtlFormula& formula) const {
  Expr expr = state_expression(formula, node);
  return value ? expr : Expr::unary(Op::logic_not, std::move(expr));
}

std::optional<AlwaysForm> always_form(const CtlFormula& formula) {
  const auto& nodes = formula.nodes;
  const auto is_eventually = [&](const CtlFormula::Node& node) {
    return node.op == FormulaOp::eu && nodes[node.left].op == FormulaOp::true_;
  };
  // AG f is !E(true U !f).
  if (nodes.back().op != FormulaOp::not_) return std::nullopt;
  const CtlFormula::Node& bad = nodes[nodes.back().left];
  if (!is_eventually(bad)) return std::nullopt;
  AlwaysForm form;
  if (const CtlFormula::Node& wrong = nodes[bad.right]; wrong.op == FormulaOp::eg) {
    form = {AlwaysForm::Kind::inevitable, wrong.left, false};
  } else if (wrong.op == FormulaOp::not_ && is_eventually(nodes[wrong.left])) {
    form = {AlwaysForm::Kind::possible, nodes[wrong.left].right, true};
  } else {
    return std::nullopt;
  }
  if (nodes[form.node].op == FormulaOp::not_) form = {form.kind, nodes[form.node].left, !form.value};
  if (!is_state_formula(formula, form.node)) return std::nullopt;
  return form;
}

namespace {

/// `everywhere`: the subformula has the value in every reachable state, not only in the initial one.
void force(const CtlFormula& formula, CtlFormula::NodeId node, bool value, bool everywhere,
           std::vector<std::optional<bool>>& truths) {
  using Op = CtlFormula::Op;
  const auto& [op, left, right] = formula.nodes[node];
  if (op == Op::atom && everywhere) truths[left] = value;
  if (op == Op::not_) force(formula, left, !value, everywhere, truths);
  if ((op == Op::and_ && value) || (op == Op::or_ && !value))
    for (const CtlFormula::NodeId part : {left, right}) force(formula, part, value, everywhere, truths);
  if (op == Op::eu && !value)
    force(formula, right, false, everywhere || formula.nodes[left].op == Op::true_, truths);
}

}  // namespace

std::vector<std::optional<bool>> forced_truths(const CtlFormula& formula, bool value) {
  std::vector<std::optional<bool>> truths(formula.atom_names.size());
  force(formula, formula.root(), value, false, truths);
  return truths;
}

std::string to_string(const CtlFormula& formula, NodeId node, bool value) {
  return Printer(formula).take(node, value);
}

}  // namespace tideline
