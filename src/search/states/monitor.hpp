// Monitor: the Observer that checks properties, all of them in one pass.
//
// A property is decided by the first state, deadlock or failing action that speaks against it (or, for
// reachability, for it); from then on it is ignored. The caller, who knows whether everything was visited,
// judges what is undecided when the search ends.
//
// Besides properties a monitor watches atoms: parts of their formulas, for which it finds out whether they
// are ever true and ever false. An atom that was seen both ways leaves the hot list too, so in most models
// atoms cost nothing after a few states.
//
// Predicates are any type with evaluate(state, error), see StatePredicate. A state in which a predicate has
// no value decides its property, whatever the search is for. For atoms it does not count: they are evaluated
// outside the formula that may guard them.
//
// Invariant: pending_ is the number of watched properties that are not decided and keep the search going.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/step.hpp"
#include "search/core/observer.hpp"

namespace tideline {

template <class P>
concept StatePredicate = requires(const P& predicate, const std::byte* state, ModelErrorKind& error) {
  { predicate.evaluate(state, error) } -> std::convertible_to<std::int64_t>;
};

/// What decided a property.
struct Finding {
  PathBuilder path = {};                           ///< empty when the search keeps no traces
  ModelErrorKind no_value = ModelErrorKind::none;  ///< why the predicate has no value there, if it has none

  /// For checkpoints.
  void archive(auto& file) {
    file(no_value);
    archive_run(file, path);
  }
};

template <StatePredicate Predicate>
class Monitor {
 public:
  /// properties, actions: how many there are; `exhaustive`: the search continues, whatever is decided.
  Monitor(std::size_t properties, std::size_t actions, bool exhaustive)
      : exhaustive_(exhaustive), findings_(properties), witnesses_(properties), enabled_(actions) {}

  /// Decides the property in the first state where the truth of the predicate is `wanted`, or where it has no
  /// value. With `everywhere` only the latter does: the first state with that truth is the witness().
  void watch(std::size_t property, Predicate predicate, bool wanted, bool everywhere = false) {
    watched_.push_back({property, wanted, everywhere, std::move(predicate)});
    ++pending_;
  }
  void watch_deadlocks(std::size_t property) {
    deadlock_properties_.push_back(property);
    ++pending_;
  }
  /// Model errors are noticed on the way: unless `seek`, they do not keep a search going once its other
  /// questions are answered.
  void watch_errors(std::size_t property, bool seek = true) {
    error_properties_.push_back({property, seek});
    if (seek) ++pending_;
  }
  /// Atoms are numbered from 0 in the order of these calls.
  void watch_atom(Predicate predicate) {
    atoms_.push_back({atom_truths_.size(), std::move(predicate)});
    atom_truths_.push_back(0);
  }

  template <class Locate>
  void on_state(const std::byte* state, const Locate& locate) {
    for (std::size_t i = 0; i < watched_.size();) {
      const Watched& watched = watched_[i];
      ModelErrorKind error = ModelErrorKind::none;
      const bool truth = watched.predicate.evaluate(state, error) != 0;
      const bool has_value = error == ModelErrorKind::none;
      if (!has_value || (truth == watched.wanted && !watched.everywhere)) {
        decide(watched.property, locate(), error);
        drop(watched_, i);
        continue;
      }
      if (truth == watched.wanted && !witnesses_[watched.property])
        witnesses_[watched.property] = Finding{locate()};
      ++i;
    }
    for (std::size_t i = 0; i < atoms_.size();) {
      ModelErrorKind error = ModelErrorKind::none;
      const bool truth = atoms_[i].predicate.evaluate(state, error) != 0;
      std::uint8_t& truths = atom_truths_[atoms_[i].number];
      // One without a value somewhere is not the same everywhere.
      const auto seen = static_cast<std::uint8_t>(error != ModelErrorKind::none ? seen_true | seen_false
                                                  : truth                       ? seen_true
                                                                                : seen_false);
      if ((truths & seen) != seen) truths |= seen;  // as above
      if (truths == (seen_true | seen_false))
        drop(atoms_, i);
      else
        ++i;
    }
  }

  template <class Locate>
  void on_step(const Step& step, const Locate& locate) {
    // Only once: what the monitors of other threads keep may lie in the same cache line.
    if (enabled_[step.action] == 0) [[unlikely]]
      enabled_[step.action] = 1;
    if (step.error != ModelErrorKind::none) [[unlikely]] {
      met_errors_ = true;
      on_error(step.action, locate);
    }
  }

  template <class Locate>
  void on_deadlock(const Locate& locate) {
    for (const std::size_t property : std::exchange(deadlock_properties_, {})) decide(property, locate());
  }

  bool done() const { return pending_ == 0 && !exhaustive_; }
  /// Whether something has been found: the run to it may need the memory of the search.
  bool has_findings() const {
    const auto is_there = [](const std::optional<Finding>& finding) { return finding.has_value(); };
    return std::ranges::any_of(findings_, is_there) || std::ranges::any_of(witnesses_, is_there);
  }

  /// For searches with one observer per thread: takes over what another monitor of the same
  /// properties has decided.
  void adopt(const Monitor& other) {
    for (std::size_t property = 0; property < findings_.size(); ++property) {
      if (!findings_[property] && other.findings_[property]) adopt(property, *other.findings_[property]);
      if (!witnesses_[property]) witnesses_[property] = other.witnesses_[property];
    }
  }
  /// Takes over everything else that it has seen.
  void absorb(const Monitor& other) {
    adopt(other);
    met_errors_ = met_errors_ || other.met_errors_;
    for (std::size_t i = 0; i < enabled_.size(); ++i) enabled_[i] |= other.enabled_[i];
    for (std::size_t i = 0; i < atom_truths_.size(); ++i) atom_truths_[i] |= other.atom_truths_[i];
  }

  /// For checkpoints.
  template <class File>
  void archive(File& file) {
    file(met_errors_, enabled_, atom_truths_);
    for (std::size_t property = 0; property < findings_.size(); ++property) {
      file(witnesses_[property]);
      bool decided = findings_[property].has_value();
      file(decided);
      if (!decided) continue;
      Finding finding = findings_[property].value_or(Finding{});
      file(finding);
      adopt(property, std::move(finding));
    }
    std::erase_if(atoms_,
                  [&](const Atom& atom) { return atom_truths_[atom.number] == (seen_true | seen_false); });
  }

  /// For searches that put runs together in the end: calls change(path) for the runs to everything found.
  template <class Change>
  void change_runs(const Change& change) {
    for (auto* found : {&findings_, &witnesses_})
      for (std::optional<Finding>& finding : *found)
        if (finding) change(finding->path);
  }

  static constexpr std::uint8_t seen_false = 1;
  static constexpr std::uint8_t seen_true = 2;

  const std::optional<Finding>& finding(std::size_t property) const { return findings_[property]; }
  /// Of a property that was watched everywhere.
  const std::optional<Finding>& witness(std::size_t property) const { return witnesses_[property]; }
  /// Which truth values the atom was seen to have.
  std::uint8_t atom_truths(std::size_t atom) const { return atom_truths_[atom]; }
  bool was_enabled(ActionId action) const { return enabled_[action] != 0; }
  /// Some action ended in a model error.
  bool met_errors() const { return met_errors_; }

 private:
  struct Watched {
    std::size_t property;
    bool wanted;
    bool everywhere;
    Predicate predicate;
  };
  struct ErrorProperty {
    std::size_t property;
    bool seek;
  };
  struct Atom {
    std::size_t number;
    Predicate predicate;
  };

  template <class T>
  static void drop(std::vector<T>& list, std::size_t i) {
    if (i + 1 != list.size()) list[i] = std::move(list.back());
    list.pop_back();
  }

  /// What was decided elsewhere is not checked any more.
  void adopt(std::size_t property, Finding finding) {
    findings_[property] = std::move(finding);
    const auto mine = [&](const auto& entry) { return entry.property == property; };
    const bool sought = std::any_of(error_properties_.begin(), error_properties_.end(),
                                    [&](const ErrorProperty& e) { return mine(e) && e.seek; });
    std::erase_if(error_properties_, mine);
    if (std::erase_if(watched_, mine) + std::erase(deadlock_properties_, property) != 0 || sought) --pending_;
  }

  template <class Locate>
  void on_error(ActionId action, const Locate& locate) {
    for (const auto& [property, seek] : std::exchange(error_properties_, {})) {
      if (!seek) ++pending_;  // decide() takes it off again
      PathBuilder before = locate();
      if (!before) {
        decide(property, {});
        continue;
      }
      decide(property, PathBuilder([before = std::move(before), action](Budget& budget) {
               Path path = before(budget);
               path.failing_action = action;
               return path;
             }));
    }
  }

  void decide(std::size_t property, PathBuilder path, ModelErrorKind no_value = ModelErrorKind::none) {
    findings_[property] = Finding{std::move(path), no_value};
    --pending_;
  }

  bool exhaustive_;
  bool met_errors_ = false;
  std::size_t pending_ = 0;
  std::vector<Watched> watched_;
  std::vector<std::size_t> deadlock_properties_;
  std::vector<ErrorProperty> error_properties_;
  std::vector<Atom> atoms_;
  std::vector<std::uint8_t> atom_truths_;
  std::vector<std::optional<Finding>> findings_;
  std::vector<std::optional<Finding>> witnesses_;
  std::vector<std::uint8_t> enabled_;  // by action: seen enabled somewhere
};

}  // namespace tideline
