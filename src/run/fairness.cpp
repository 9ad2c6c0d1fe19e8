#include "run/fairness.hpp"

namespace tideline {

std::string_view to_string(Fairness fairness) {
  switch (fairness) {
    case Fairness::none:
      return "none";
    case Fairness::weak:
      return "weak";
    case Fairness::strong:
      return "strong";
  }
  return "none";
}

std::optional<Fairness> fairness_from(std::string_view text) {
  for (const Fairness f : {Fairness::none, Fairness::weak, Fairness::strong})
    if (to_string(f) == text) return f;
  return std::nullopt;
}

}  // namespace tideline
