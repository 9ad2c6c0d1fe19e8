#include "run/open_steps.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace tideline {

namespace {

using Node = CtlFormula::Node;
using NodeId = CtlFormula::NodeId;

Expr is_inner(const System& open) {
  return Expr::binary(Op::ne, Expr::load(open.inner), Expr::constant(0));
}

Expr unless_inner(const Expr& expr, const System& open) {
  return Expr::binary(Op::logic_or, is_inner(open), expr);
}

std::shared_ptr<const PropertyProcess> waiting_inside(const PropertyProcess& process, const System& open) {
  auto result = std::make_shared<PropertyProcess>(process);
  const auto count = static_cast<LocationId>(process.locations.size());
  result->locations.insert(result->locations.end(), process.locations.begin(), process.locations.end());
  if (process.accepting.empty()) {
    result->accepting.emplace_back();
    for (LocationId l = 0; l < count; ++l) result->accepting.back().push_back(l);
  }
  result->edges.clear();
  for (const PropertyProcess::Edge& edge : process.edges)
    for (const LocationId from : {edge.from, edge.from + count}) {
      PropertyProcess::Edge seen = edge;
      seen.from = from;
      seen.guard = Expr::binary(Op::logic_and, is_seen(open), edge.guard);
      result->edges.push_back(std::move(seen));
    }
  for (LocationId l = 0; l < count; ++l)
    for (const LocationId from : {l, l + count})
      result->edges.push_back({.from = from, .to = l + count, .guard = is_inner(open)});
  return result;
}

/// Makes a formula's operators pass over inner states, bottom-up.
class PassingOver {
 public:
  PassingOver(const CtlFormula& formula, const System& open) : formula_(formula) {
    for (const Expr& atom : formula.atoms) result_.atoms.push_back(unless_inner(atom, open));
    result_.atom_names = formula.atom_names;
    result_.atoms.push_back(is_inner(open));
    result_.atom_names.emplace_back();
    inner_ = add({Op::atom, static_cast<NodeId>(formula.atoms.size())});
    seen_ = add({Op::not_, inner_});
  }

  std::shared_ptr<const CtlFormula> run() {
    std::vector<NodeId> made;  // by node of the formula
    for (const Node& node : formula_.nodes) {
      const auto left = [&] { return made[node.left]; };
      const auto right = [&] { return made[node.right]; };
      switch (node.op) {
        case Op::ex:
          made.push_back(add({Op::ex, until_seen(inner_, left())}));
          break;
        case Op::eu:
          made.push_back(until_seen(add({Op::or_, inner_, left()}), right()));
          break;
        case Op::eg:
          made.push_back(add({Op::eg, add({Op::or_, inner_, left()})}));
          break;
        case Op::not_:
          made.push_back(add({Op::not_, left()}));
          break;
        case Op::and_:
        case Op::or_:
          made.push_back(add({node.op, left(), right()}));
          break;
        default:
          made.push_back(add(node));
      }
    }
    // The formula itself comes last, also where it was there before.
    if (made.back() != result_.root()) result_.nodes.push_back(result_.nodes[made.back()]);
    return std::make_shared<const CtlFormula>(std::move(result_));
  }

 private:
  using Op = CtlFormula::Op;

  NodeId until_seen(NodeId before, NodeId goal) {
    return add({Op::eu, before, add({Op::and_, seen_, goal})});
  }

  NodeId add(Node node) {
    const auto known = std::ranges::find(result_.nodes, node);
    if (known == result_.nodes.end()) result_.nodes.push_back(node);
    return static_cast<NodeId>(std::distance(result_.nodes.begin(), std::ranges::find(result_.nodes, node)));
  }

  const CtlFormula& formula_;
  CtlFormula result_;
  NodeId inner_ = 0, seen_ = 0;
};

}  // namespace

System with_open_steps(const System& system) {
  System open = system;
  open.inner = std::exchange(open.transient, no_slot);
  return open;
}

Expr is_seen(const System& open) {
  return Expr::binary(Op::eq, Expr::load(open.inner), Expr::constant(0));
}

Property with_open_steps(const Property& property, const System& open) {
  Property result = property;
  if (property.kind == PropertyKind::reach)
    result.expr = Expr::binary(Op::logic_and, is_seen(open), property.expr);
  else if (has_expression(property.kind))
    result.expr = unless_inner(property.expr, open);
  for (Expr& part : result.parts) part = unless_inner(part, open);
  if (property.process) result.process = waiting_inside(*property.process, open);
  if (property.ctl) result.ctl = PassingOver(*property.ctl, open).run();
  return result;
}

}  // namespace tideline
