#include "run/property.hpp"

#include <fmt/format.h>

namespace tideline {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::violated:
      return "violated";
    case Verdict::unknown:
      return "unknown";
  }
  return "unknown";
}

std::optional<Verdict> verdict_from(std::string_view text) {
  for (Verdict v : {Verdict::holds, Verdict::violated, Verdict::unknown})
    if (to_string(v) == text) return v;
  return std::nullopt;
}

std::string_view to_string(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::deadlock:
      return "deadlock";
    case PropertyKind::invariant:
      return "invariant";
    case PropertyKind::reach:
      return "reach";
    case PropertyKind::assertion:
      return "assertion";
    case PropertyKind::model_error:
      return "model-error";
    case PropertyKind::automaton:
      return "automaton";
    case PropertyKind::ltl:
      return "ltl";
    case PropertyKind::ctl:
      return "ctl";
  }
  return "";
}

std::optional<PropertyKind> property_kind_from(std::string_view text) {
  for (const PropertyKind kind :
       {PropertyKind::deadlock, PropertyKind::invariant, PropertyKind::reach, PropertyKind::assertion,
        PropertyKind::model_error, PropertyKind::automaton, PropertyKind::ltl, PropertyKind::ctl})
    if (to_string(kind) == text) return kind;
  return std::nullopt;
}

std::string numbered(std::string_view name, std::size_t index) {
  return index == 0 ? std::string(name) : fmt::format("{}-{}", name, index + 1);
}

}  // namespace tideline
