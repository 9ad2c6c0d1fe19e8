// Labelled transition systems: states, an initial one, and transitions that carry a label.
//
// Label 0 of every Lts is the internal action, which never synchronises, whatever it is called in a file.
// Transitions are a set: normalise() sorts them by source, label and target and drops repetitions (the first line of
// them stays), and everything here expects and produces them so.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tideline::lts {

using StateId = std::uint32_t;
using LabelId = std::uint32_t;

inline constexpr LabelId internal_label = 0;

/// The names of labels, each once, numbered in the order in which they come.
class Labels {
 public:
  /// `internal` is how the internal action is spelled.
  explicit Labels(std::string_view internal = "tau") { intern(internal); }

  LabelId intern(std::string_view name);
  const std::string& name(LabelId label) const { return names_[label]; }
  LabelId size() const { return static_cast<LabelId>(names_.size()); }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, LabelId, Hash, std::equal_to<>> numbers_;
};

struct Transition {
  StateId from = 0;
  LabelId label = 0;
  StateId to = 0;
  std::uint32_t line = 0;  ///< of the text that it comes from, for people; 0: not known

  /// The line tells no transitions apart.
  friend bool operator==(const Transition& a, const Transition& b) { return a.key() == b.key(); }
  friend auto operator<=>(const Transition& a, const Transition& b) { return a.key() <=> b.key(); }

 private:
  std::tuple<StateId, LabelId, StateId> key() const { return {from, label, to}; }
};

struct Lts {
  StateId initial = 0;
  std::uint32_t states = 1;
  Labels labels{};
  std::vector<Transition> transitions{};

  void normalise();
};

}  // namespace tideline::lts
