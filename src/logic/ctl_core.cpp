// From all operators of CTL to those that engines evaluate.
//
//     EF f     = E(true U f)                        AX f     = !EX !f
//     E(f R g) = E(g U (f && g)) || EG g            AF f     = !EG !f
//     E(f W g) = E(f U g) || EG f                   AG f     = !E(true U !f)
//     E(f M g) = E(g U (f && g))                    A(f U g) = !(E(!g U (!f && !g)) || EG !g)
//     A(f R g) = !E(!f U !g)                        A(f W g) = !E(!g U (!f && !g))
//                                                   A(f M g) = A(g U (f && g))
#include <map>
#include <optional>
#include <tuple>

#include "logic/ctl_simplify.hpp"

namespace tideline {

namespace {

using Op = CtlFormula::Op;
using Node = CtlFormula::Node;
using NodeId = CtlFormula::NodeId;

/// Makes nodes, each once, with the laws that keep constants and double negations out of the result.
class Builder {
 public:
  NodeId constant(bool value) {
    const NodeId yes = intern({Op::true_});
    return value ? yes : intern({Op::not_, yes});
  }
  NodeId atom(std::uint32_t index) { return intern({Op::atom, index}); }

  NodeId negated(NodeId f) { return nodes_[f].op == Op::not_ ? nodes_[f].left : intern({Op::not_, f}); }

  NodeId both(NodeId f, NodeId g) { return joined(Op::and_, f, g); }
  NodeId either(NodeId f, NodeId g) { return joined(Op::or_, f, g); }
  NodeId next(NodeId f) { return is(f, false) ? f : intern({Op::ex, f}); }
  NodeId always(NodeId f) { return is_constant(f) ? f : intern({Op::eg, f}); }
  NodeId until(NodeId f, NodeId g) {
    if (is_constant(g) || is(f, false) || f == g) return g;
    return intern({Op::eu, f, g});
  }

  /// The nodes that f needs, with f as the last one.
  std::vector<Node> take(NodeId f) const {
    std::vector<bool> needed(f + 1);
    needed[f] = true;
    for (NodeId id = f + 1; id-- > 0;)
      if (needed[id]) for_each_operand(nodes_[id], [&](NodeId operand) { needed[operand] = true; });
    std::vector<Node> result;
    std::vector<NodeId> number(f + 1);
    for (NodeId id = 0; id <= f; ++id) {
      if (!needed[id]) continue;
      Node node = nodes_[id];
      for_each_operand(node, [&](NodeId& operand) { operand = number[operand]; });
      number[id] = static_cast<NodeId>(result.size());
      result.push_back(node);
    }
    return result;
  }

 private:
  template <class N, class Visit>
  static void for_each_operand(N& node, const Visit& visit) {
    if (node.op == Op::true_ || node.op == Op::atom) return;
    visit(node.left);
    if (node.op == Op::and_ || node.op == Op::or_ || node.op == Op::eu) visit(node.right);
  }

  bool is(NodeId f, bool value) const {
    if (value) return nodes_[f].op == Op::true_;
    return nodes_[f].op == Op::not_ && nodes_[nodes_[f].left].op == Op::true_;
  }
  bool is_constant(NodeId f) const { return is(f, true) || is(f, false); }

  NodeId joined(Op op, NodeId f, NodeId g) {
    const bool neutral = op == Op::and_;
    if (f == g || is(f, neutral) || is(g, !neutral)) return g;
    if (is(g, neutral) || is(f, !neutral)) return f;
    if (negated(f) == g) return constant(!neutral);
    return intern({op, std::min(f, g), std::max(f, g)});
  }

  NodeId intern(Node node) {
    const auto key = std::tuple(node.op, node.left, node.right);
    const auto [entry, is_new] = numbers_.try_emplace(key, static_cast<NodeId>(nodes_.size()));
    if (is_new) nodes_.push_back(node);
    return entry->second;
  }

  std::vector<Node> nodes_;
  std::map<std::tuple<Op, NodeId, NodeId>, NodeId> numbers_;
};

/// Several operands of && or ||, joined in pairs, so that a long list does not become a deep formula.
NodeId row_of(Builder& b, CtlOp op, std::vector<NodeId> operands) {
  while (operands.size() > 1) {
    std::vector<NodeId> joined;
    for (std::size_t i = 0; i + 1 < operands.size(); i += 2)
      joined.push_back(op == CtlOp::and_ ? b.both(operands[i], operands[i + 1])
                                         : b.either(operands[i], operands[i + 1]));
    if (operands.size() % 2 != 0) joined.push_back(operands.back());
    operands = std::move(joined);
  }
  return operands[0];
}

/// The core of one formula from the cores of its operands.
NodeId core_of(Builder& b, CtlOp op, const std::vector<NodeId>& operands) {
  const NodeId f = operands[0];
  const NodeId g = operands.back();
  const auto no = [&](NodeId id) { return b.negated(id); };
  switch (op) {
    case CtlOp::not_:
      return no(f);
    case CtlOp::implies:
      return b.either(no(f), g);
    case CtlOp::equivalent:
      return b.either(b.both(f, g), b.both(no(f), no(g)));
    case CtlOp::exclusive_or:
      return b.either(b.both(f, no(g)), b.both(no(f), g));
    case CtlOp::ex:
      return b.next(f);
    case CtlOp::ax:
      return no(b.next(no(f)));
    case CtlOp::ef:
      return b.until(b.constant(true), f);
    case CtlOp::ag:
      return no(b.until(b.constant(true), no(f)));
    case CtlOp::eg:
      return b.always(f);
    case CtlOp::af:
      return no(b.always(no(f)));
    case CtlOp::eu:
      return b.until(f, g);
    case CtlOp::er:
      return b.either(b.until(g, b.both(f, g)), b.always(g));
    case CtlOp::ew:
      return b.either(b.until(f, g), b.always(f));
    case CtlOp::em:
      return b.until(g, b.both(f, g));
    case CtlOp::ar:
      return no(b.until(no(f), no(g)));
    case CtlOp::aw:
      return no(b.until(no(g), b.both(no(f), no(g))));
    case CtlOp::au:
      return no(b.either(b.until(no(g), b.both(no(f), no(g))), b.always(no(g))));
    case CtlOp::am:
      return core_of(b, CtlOp::au, {g, b.both(f, g)});
    default:
      return f;
  }
}

}  // namespace

CtlFormula ctl_core(const CtlPool& pool, Ctl f) {
  CtlFormula result;
  Builder builder;
  std::vector<std::optional<std::uint32_t>> atom_number(pool.atoms().size());
  std::vector<NodeId> core(f.id + 1);
  std::vector<bool> needed(f.id + 1);
  needed[f.id] = true;
  for (std::uint32_t id = f.id + 1; id-- > 0;)
    if (needed[id])
      for (const Ctl operand : pool.operands(Ctl{id})) needed[operand.id] = true;

  for (std::uint32_t id = 0; id <= f.id; ++id) {
    if (!needed[id]) continue;
    const Ctl g{id};
    const CtlOp op = pool.op(g);
    if (op == CtlOp::true_ || op == CtlOp::false_) {
      core[id] = builder.constant(op == CtlOp::true_);
    } else if (op == CtlOp::atom) {
      auto& number = atom_number[pool.atom_index(g)];
      if (!number) {
        number = static_cast<std::uint32_t>(result.atom_names.size());
        result.atom_names.push_back(pool.atoms()[pool.atom_index(g)].name);
      }
      core[id] = builder.atom(*number);
    } else {
      std::vector<NodeId> operands;
      for (const Ctl operand : pool.operands(g)) operands.push_back(core[operand.id]);
      core[id] = op == CtlOp::and_ || op == CtlOp::or_ ? row_of(builder, op, operands)
                                                       : core_of(builder, op, operands);
    }
  }
  result.nodes = builder.take(core[f.id]);
  return result;
}

}  // namespace tideline
