#include "lang/lts/lts.hpp"

#include <algorithm>

namespace tideline::lts {

LabelId Labels::intern(std::string_view name) {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  const LabelId label = size();
  names_.emplace_back(name);
  numbers_.emplace(names_.back(), label);
  return label;
}

void Lts::normalise() {
  std::sort(transitions.begin(), transitions.end(),
            [](const Transition& a, const Transition& b) { return a == b ? a.line < b.line : a < b; });
  transitions.erase(std::unique(transitions.begin(), transitions.end()), transitions.end());
}

}  // namespace tideline::lts
