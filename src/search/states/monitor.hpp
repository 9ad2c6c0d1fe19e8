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
// Several runs. A monitor can look for more than one state, deadlock or action that decides a property. They have to
// be different: what is watched has a key, which names what matters about a state, and a second finding with the
// same key does not count. A property is then dropped when it has as many as are wanted. Verdicts follow from the
// first one, as always.
//
// Invariant: pending_ is the number of watched properties that have fewer findings than are wanted and keep the
// search going.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/step.hpp"
#include "search/core/observer.hpp"
#include "store/state_collection.hpp"

namespace tideline {

template <class P>
concept StatePredicate = requires(const P& predicate, const std::byte* state, ModelErrorKind& error) {
  { predicate.evaluate(state, error) } -> std::convertible_to<std::int64_t>;
};

/// What decided a property.
struct Finding {
  PathBuilder path = {};                           ///< empty when the search keeps no traces
  ModelErrorKind no_value = ModelErrorKind::none;  ///< why the predicate has no value there, if it has none
  std::string key = {};                            ///< differs from those of other findings of the property

  /// For checkpoints.
  void archive(auto& file) {
    file(no_value);
    archive_run(file, path);
  }
};

/// What matters about a state, for runs to different ones.
using StateKey = std::function<std::string(const std::byte* state)>;

template <StatePredicate Predicate>
class Monitor {
 public:
  /// properties, actions: how many there are; `exhaustive`: the search continues, whatever is decided; `runs`: how
  /// many findings of a property are wanted.
  Monitor(std::size_t properties, std::size_t actions, bool exhaustive, std::size_t runs = 1)
      : exhaustive_(exhaustive),
        runs_(runs),
        findings_(properties),
        witnesses_(properties),
        more_findings_(properties),
        more_witnesses_(properties),
        enabled_(actions) {}

  /// Decides the property in the first state where the truth of the predicate is `wanted`, or where it has no
  /// value. With `everywhere` only the latter does: the first state with that truth is the witness(). A key is
  /// needed only if several runs are wanted.
  void watch(std::size_t property, Predicate predicate, bool wanted, bool everywhere = false,
             StateKey key = {}) {
    watched_.push_back({property, wanted, everywhere, std::move(predicate), std::move(key)});
    ++pending_;
  }
  void watch_deadlocks(std::size_t property, StateKey key = {}) {
    deadlock_properties_.push_back({property, std::move(key)});
    ++pending_;
  }
  /// A state without successors in which this is true is not a deadlock.
  void allow_ends(Predicate allowed) { allowed_ends_.emplace(std::move(allowed)); }
  bool allows_ends() const { return allowed_ends_.has_value(); }
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

  /// Every state that is met is added there. Copies are for other threads.
  void record_in(StateCollection* collection) { recorder_ = StateRecorder(collection); }

  /// For a search that looks at states elsewhere, and only tells the monitor about those that matter:
  /// state(predicate, truth) for what matters about states, both truths of an atom, and
  /// deadlock() for each property that a deadlock decides.
  /// States in which a predicate has no value matter, too.
  template <class State, class Deadlock>
  void for_each_watched(const State& state, const Deadlock& deadlock) const {
    for (const Watched& watched : watched_) state(watched.predicate, watched.wanted);
    for (const Atom& atom : atoms_)
      for (const bool truth : {true, false}) state(atom.predicate, truth);
    for (std::size_t i = 0; i < deadlock_properties_.size(); ++i) deadlock();
  }

  template <class Locate>
  void on_state(const std::byte* state, const Locate& locate) {
    recorder_.add(state);
    for (std::size_t i = 0; i < watched_.size();) {
      const Watched& watched = watched_[i];
      ModelErrorKind error = ModelErrorKind::none;
      const bool truth = watched.predicate.evaluate(state, error) != 0;
      const bool has_value = error == ModelErrorKind::none;
      if (!has_value || (truth == watched.wanted && !watched.everywhere)) {
        if (find(watched.property, watched.key, state, locate, error)) {
          drop(watched_, i);
          continue;
        }
      } else if (truth == watched.wanted) {
        note_witness(watched, state, locate);
      }
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
      met_errors_ = met_errors_ || !goes_on_after(step.error);
      on_error(step.action, locate);
    }
  }

  template <class Locate>
  bool on_deadlock(const std::byte* state, const Locate& locate) {
    ModelErrorKind error = ModelErrorKind::none;
    if (allowed_ends_ && allowed_ends_->evaluate(state, error) != 0) return false;
    std::erase_if(deadlock_properties_, [&](const DeadlockProperty& watched) {
      return find(watched.property, watched.key, state, locate);
    });
    return true;
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
      if (other.findings_[property]) adopt(property, *other.findings_[property]);
      for (const Finding& finding : other.more_findings_[property]) adopt(property, finding);
      if (other.witnesses_[property]) add_witness(property, *other.witnesses_[property]);
      for (const Finding& witness : other.more_witnesses_[property]) add_witness(property, witness);
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
    const std::size_t actions = enabled_.size(), atoms = atom_truths_.size();
    file(met_errors_, enabled_, atom_truths_);
    file.require(enabled_.size() == actions && atom_truths_.size() == atoms);
    for (std::size_t property = 0; property < findings_.size(); ++property) {
      file(witnesses_[property]);
      bool decided = findings_[property].has_value();
      file(decided);
      if (!decided) continue;
      Finding finding = findings_[property].value_or(Finding{});
      file(finding);
      if (runs_ > 1) file(finding.key);
      if (findings_[property])
        findings_[property] = std::move(finding);  // its run is built by now
      else
        adopt(property, std::move(finding));
    }
    if (runs_ > 1) archive_more(file);
    std::erase_if(atoms_,
                  [&](const Atom& atom) { return atom_truths_[atom.number] == (seen_true | seen_false); });
  }

  /// For searches that put runs together in the end: calls change(path) for the runs to everything found.
  template <class Change>
  void change_runs(const Change& change) {
    for (auto* found : {&findings_, &witnesses_})
      for (std::optional<Finding>& finding : *found)
        if (finding) change(finding->path);
    for (auto* found : {&more_findings_, &more_witnesses_})
      for (std::vector<Finding>& findings : *found)
        for (Finding& finding : findings) change(finding.path);
  }

  static constexpr std::uint8_t seen_false = 1;
  static constexpr std::uint8_t seen_true = 2;

  const std::optional<Finding>& finding(std::size_t property) const { return findings_[property]; }
  /// Of a property that was watched everywhere.
  const std::optional<Finding>& witness(std::size_t property) const { return witnesses_[property]; }
  /// Others, with different keys.
  const std::vector<Finding>& more_findings(std::size_t property) const { return more_findings_[property]; }
  const std::vector<Finding>& more_witnesses(std::size_t property) const { return more_witnesses_[property]; }
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
    StateKey key;
  };
  struct DeadlockProperty {
    std::size_t property;
    StateKey key;
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
    if (!add(property, std::move(finding))) return;
    const auto mine = [&](const auto& entry) { return entry.property == property; };
    const bool sought = std::any_of(error_properties_.begin(), error_properties_.end(),
                                    [&](const ErrorProperty& e) { return mine(e) && e.seek; });
    std::erase_if(error_properties_, mine);
    if (std::erase_if(watched_, mine) + std::erase_if(deadlock_properties_, mine) != 0 || sought) --pending_;
  }

  template <class Locate>
  void on_error(ActionId action, const Locate& locate) {
    const std::string key = runs_ > 1 ? std::to_string(action) : std::string{};
    std::erase_if(error_properties_, [&](const ErrorProperty& watched) {
      const auto [property, seek] = watched;
      if (is_known(property, key)) return false;
      PathBuilder path = locate();
      if (path)
        path = PathBuilder([before = std::move(path), action](Budget& budget) {
          Path run = before(budget);
          run.failing_action = action;
          return run;
        });
      const bool enough = add(property, {std::move(path), ModelErrorKind::none, key});
      if (enough && seek) --pending_;
      return enough;
    });
  }

  /// True: that makes as many findings as are wanted.
  template <class Locate>
  bool find(std::size_t property, const StateKey& key_of, const std::byte* state, const Locate& locate,
            ModelErrorKind no_value = ModelErrorKind::none) {
    std::string key = key_for(key_of, state, no_value);
    if (is_known(property, key) || !add(property, {locate(), no_value, std::move(key)})) return false;
    --pending_;
    return true;
  }

  std::string key_for(const StateKey& key_of, const std::byte* state, ModelErrorKind no_value) const {
    if (runs_ == 1 || !key_of) return {};
    return key_of(state) + static_cast<char>(no_value);
  }

  static bool is_among(const std::optional<Finding>& first, const std::vector<Finding>& more,
                       const std::string& key) {
    return first && (first->key == key || std::ranges::find(more, key, &Finding::key) != more.end());
  }
  bool is_known(std::size_t property, const std::string& key) const {
    return is_among(findings_[property], more_findings_[property], key);
  }

  /// Unless there is one like it, or there are enough. True: that makes as many as are wanted.
  bool add(std::size_t property, Finding finding) {
    std::vector<Finding>& more = more_findings_[property];
    const std::size_t count = findings_[property] ? more.size() + 1 : 0;
    if (count == runs_ || is_known(property, finding.key)) return false;
    if (count != 0)
      more.push_back(std::move(finding));
    else
      findings_[property] = std::move(finding);
    return count + 1 == runs_;
  }

  template <class Locate>
  void note_witness(const Watched& watched, const std::byte* state, const Locate& locate) {
    const auto& more = more_witnesses_[watched.property];
    if (witnesses_[watched.property] && more.size() + 1 == runs_) return;
    std::string key = key_for(watched.key, state, ModelErrorKind::none);
    if (is_among(witnesses_[watched.property], more, key)) return;
    add_witness(watched.property, {locate(), ModelErrorKind::none, std::move(key)});
  }
  void add_witness(std::size_t property, Finding witness) {
    std::vector<Finding>& more = more_witnesses_[property];
    if (is_among(witnesses_[property], more, witness.key)) return;
    if (!witnesses_[property])
      witnesses_[property] = std::move(witness);
    else if (more.size() + 1 < runs_)
      more.push_back(std::move(witness));
  }

  template <class File>
  void archive_more(File& file) {
    for (std::size_t property = 0; property < findings_.size(); ++property) {
      if (witnesses_[property]) file(witnesses_[property]->key);
      for (const bool is_finding : {true, false}) {
        std::vector<Finding>& kept = (is_finding ? more_findings_ : more_witnesses_)[property];
        std::vector<Finding> found = kept;
        std::uint64_t count = found.size();
        file(count);
        file.require(count < runs_);
        found.resize(count);
        for (Finding& finding : found) file(finding, finding.key);
        if (!kept.empty()) {
          kept = std::move(found);  // their runs are built by now
          continue;
        }
        for (Finding& finding : found)
          is_finding ? adopt(property, std::move(finding)) : add_witness(property, std::move(finding));
      }
    }
  }

  bool exhaustive_;
  std::size_t runs_;
  std::optional<Predicate> allowed_ends_;
  bool met_errors_ = false;
  std::size_t pending_ = 0;
  std::vector<Watched> watched_;
  std::vector<DeadlockProperty> deadlock_properties_;
  std::vector<ErrorProperty> error_properties_;
  std::vector<Atom> atoms_;
  std::vector<std::uint8_t> atom_truths_;
  std::vector<std::optional<Finding>> findings_;
  std::vector<std::optional<Finding>> witnesses_;
  std::vector<std::vector<Finding>> more_findings_;  // beyond the first ones
  std::vector<std::vector<Finding>> more_witnesses_;
  std::vector<std::uint8_t> enabled_;  // by action: seen enabled somewhere
  StateRecorder recorder_;
};

}  // namespace tideline
