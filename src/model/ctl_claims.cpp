#include "model/ctl_claims.hpp"

namespace tideline {

std::vector<CtlFormula::NodeId> claimed_nodes(const CtlFormula& formula) {
  std::vector<bool> is_claimed(formula.nodes.size());
  is_claimed.back() = true;
  for (CtlFormula::NodeId id = 0; id < formula.nodes.size(); ++id) {
    const auto& [op, left, right] = formula.nodes[id];
    if (op == CtlFormula::Op::ex) is_claimed[left] = true;
    if (op == CtlFormula::Op::ex || op == CtlFormula::Op::eu || op == CtlFormula::Op::eg)
      is_claimed[id] = true;
  }
  std::vector<CtlFormula::NodeId> claimed;
  for (CtlFormula::NodeId id = 0; id < formula.nodes.size(); ++id)
    if (is_claimed[id]) claimed.push_back(id);
  return claimed;
}

}  // namespace tideline
