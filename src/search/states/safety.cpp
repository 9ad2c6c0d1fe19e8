// From properties to verdicts: compiles the properties, runs one of the searches, and judges.
//
// The rule for verdicts is in one place, judge(): something found is an answer; nothing found is an answer
// only after a complete search; everything else is unknown, with the reason. A property that has no value in
// a reachable state is violated. So one of kind reach that may lack a value holds only when all states were
// visited: it is true in one of them, and has a value in each.
#include "search/states/safety.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string_view>

#include "exec/predicate.hpp"
#include "model/each_once.hpp"
#include "model/layout.hpp"
#include "model/value_condition.hpp"
#include "search/states/atoms.hpp"
#include "search/states/preserved.hpp"
#include "search/states/state_search.hpp"
#include "store/memory.hpp"

namespace tideline {

namespace {

class SafetyCheck {
 public:
  SafetyCheck(const System& system, const std::vector<Property>& properties, const SafetyOptions& options,
              Budget& budget)
      : system_(system),
        properties_(properties),
        options_(options),
        budget_(budget),
        start_(std::chrono::steady_clock::now()),
        resident_at_start_(resident_bytes()),
        layout_(system),
        monitor_(properties.size(), system.actions.size(), options.exhaustive || properties.empty(),
                 options.runs) {
    if (system.may_end) monitor_.allow_ends(compile(*system.may_end));
    for (std::size_t i = 0; i < properties.size(); ++i) watch(i);
    monitor_.record_in(options.collection);
  }

  Outcome run() {
    const std::shared_ptr<const por::StubbornSets> reduction = make_reduction();
    StateSearch search{system_, options_, monitor_, budget_, outcome_, reduction};
    options_.engine(search);
    result_ = search.result;
    keeps_states_ = search.keeps_states;
    sampled_ = std::move(search.sampled);
    cut_off_remark_ = search.cut_off_remark;
    outcome_.complete = result_.end == SearchEnd::complete;
    for (std::size_t i = 0; i < properties_.size(); ++i) outcome_.results.push_back(judge(i));
    // A reduced search does not see all states and actions.
    if (outcome_.complete && !reduction) {
      warn();
      // Of a step through inner states only the first action is known.
      if (system_.transient == no_slot) list_never_enabled();
    }
    if (reduction && reduction->given_up()) outcome_.warnings.push_back(given_up_warning);
    if (reduction) set("reduction", std::string(to_string(options_.reduce)));
    if (reduction && search.visited_once)
      set("reduced_states", reduction->reduced_states() + search.reduced_elsewhere);
    set_resources(search.peak_bytes_elsewhere);
    return std::move(outcome_);
  }

 private:
  /// Where several actions share a label, as the parts of one event, the label counts: it is listed once,
  /// when none of them was enabled.
  void list_never_enabled() {
    std::set<std::string_view> known;
    if (!system_.labels_say_moves)
      for (ActionId a = 0; a < system_.actions.size(); ++a)
        if (monitor_.was_enabled(a)) known.insert(system_.actions[a].label);
    for (ActionId a = 0; a < system_.actions.size(); ++a)
      if (!monitor_.was_enabled(a) &&
          (system_.labels_say_moves || known.insert(system_.actions[a].label).second))
        outcome_.never_enabled.push_back(a);
  }

  std::shared_ptr<const por::StubbornSets> make_reduction() const {
    if (options_.reduce == por::Method::none) return {};
    return por::StubbornSets::make(system_, options_.errors, preserved_for(system_, properties_),
                                   options_.reduce, &budget_);
  }

  void watch(std::size_t i) {
    const Property& property = properties_[i];
    switch (property.kind) {
      case PropertyKind::deadlock:
        monitor_.watch_deadlocks(i, key_of(control_slots()));
        break;
      case PropertyKind::model_error:
        monitor_.watch_errors(i, !has_other_questions());
        break;
      case PropertyKind::automaton:
      case PropertyKind::ltl:
      case PropertyKind::ctl:
        break;
      case PropertyKind::reach:
        monitor_.watch(i, compile(property.expr), true, may_lack_value(property.expr, system_),
                       key_of(read_slots(property)));
        break;
      case PropertyKind::invariant:
      case PropertyKind::assertion:
        monitor_.watch(i, compile(property.expr), false, false, key_of(read_slots(property)));
        break;
    }
    if (!has_expression(property.kind)) return;
    for (Expr& atom : atoms_of(property.expr)) {
      monitor_.watch_atom(compile(atom));
      atoms_.push_back({i, std::move(atom)});
    }
  }

  /// Whether there is a question besides model errors that this search can decide.
  bool has_other_questions() const {
    return std::any_of(properties_.begin(), properties_.end(), [](const Property& p) {
      return p.kind != PropertyKind::model_error && is_of_states(p.kind);
    });
  }

  Predicate compile(const Expr& expr) const { return {system_, layout_, expr}; }

  static std::vector<SlotId> read_slots(const Property& property) {
    std::vector<SlotId> slots;
    collect_reads(property.expr, slots);
    return slots;
  }

  /// Where the processes are; all slots if there are none.
  std::vector<SlotId> control_slots() const {
    std::vector<SlotId> slots;
    for (const Component& component : system_.components)
      if (component.location_slot != no_slot) slots.push_back(component.location_slot);
    if (slots.empty())
      for (SlotId slot = 0; slot < system_.slots.size(); ++slot) slots.push_back(slot);
    return slots;
  }

  /// The values of these slots, for runs to different states.
  StateKey key_of(std::vector<SlotId> slots) const {
    if (options_.runs == 1) return {};
    keep_each_once(slots);
    std::vector<Field> fields;
    for (const SlotId slot : slots) fields.push_back(layout_.field(slot));
    return [fields = std::move(fields)](const std::byte* state) {
      std::string key;
      for (const Field field : fields) key += std::to_string(load_field(state, field)) + ',';
      return key;
    };
  }

  static std::vector<PathBuilder> paths_of(const std::vector<Finding>& findings) {
    std::vector<PathBuilder> paths;
    for (const Finding& finding : findings) paths.push_back(finding.path);
    return paths;
  }

  /// Whether there are other runs, where several are wanted.
  std::string remark_on_others(std::size_t found) const {
    if (options_.runs == 1 || found == options_.runs) return {};
    const std::string count = fmt::format("{} of {} runs found, ", found, options_.runs);
    if (outcome_.complete && options_.reduce == por::Method::none) return count + "and there are no others";
    return count + "there may be others: " +
           (outcome_.complete ? "partial order reduction leaves out states" : why_unknown());
  }

  struct Atom {
    std::size_t property;
    Expr expr;
  };

  PropertyResult judge(std::size_t i) const {
    const Property& property = properties_[i];
    PropertyResult result{property, Verdict::unknown, {}, {}};
    const bool found_means_holds = property.kind == PropertyKind::reach;
    if (!is_of_states(property.kind)) {
      result.reason = "a search for states does not decide what infinite runs do";
    } else if (const auto& finding = monitor_.finding(i)) {
      const bool has_value = finding->no_value == ModelErrorKind::none;
      result.verdict = found_means_holds && has_value ? Verdict::holds : Verdict::violated;
      if (!has_value) result.reason = no_value_reason(finding->no_value);
      result.path = finding->path;
      result.more_paths = paths_of(monitor_.more_findings(i));
    } else if (property.kind == PropertyKind::model_error && options_.errors == ErrorSemantics::error_state) {
      result.reason = "model errors lead to the error state in this run instead of ending it";
    } else if (outcome_.complete && monitor_.met_errors()) {
      result.reason = not_followed_reason;
    } else if (outcome_.complete && monitor_.witness(i)) {
      result.verdict = Verdict::holds;
      result.path = monitor_.witness(i)->path;
      result.more_paths = paths_of(monitor_.more_witnesses(i));
    } else if (outcome_.complete) {
      result.verdict = found_means_holds ? Verdict::violated : Verdict::holds;
    } else {
      result.reason = why_unknown();
    }
    if (result.verdict == Verdict::unknown && monitor_.witness(i))
      result.reason = open_value_reason(result.reason);
    if (result.path)
      if (const std::string remark = remark_on_others(result.more_paths.size() + 1); !remark.empty())
        result.reason += (result.reason.empty() ? "" : "; ") + remark;
    return result;
  }

  std::string why_unknown() const {
    switch (result_.end) {
      case SearchEnd::exhausted:
        return budget_.reason();
      case SearchEnd::cut_off:
        return fmt::format("depth bound of {} reached{}", options_.depth, cut_off_remark_);
      case SearchEnd::sampled:
        return sampled_;
      case SearchEnd::complete:
      case SearchEnd::satisfied:
        break;
    }
    return "the search ended before this was decided";
  }

  void warn() {
    for (std::size_t a = 0; a < atoms_.size(); ++a) {
      const std::uint8_t truths = monitor_.atom_truths(a);
      if (truths == (Monitor<Predicate>::seen_false | Monitor<Predicate>::seen_true)) continue;
      if (follows_from_verdict(atoms_[a], truths)) continue;
      const char* const finding = truths == 0                                ? "has no value"
                                  : truths == Monitor<Predicate>::seen_false ? "is false"
                                                                             : "is true";
      outcome_.warnings.push_back(fmt::format("atom `{}` of property {} {} in every reachable state",
                                              to_string(atoms_[a].expr, system_),
                                              properties_[atoms_[a].property].name, finding));
    }
  }

  /// Whether the verdict alone implies that the atom is the same everywhere.
  bool follows_from_verdict(const Atom& atom, std::uint8_t truths) const {
    const PropertyResult& result = outcome_.results[atom.property];
    const bool reach = result.property.kind == PropertyKind::reach;
    if (result.verdict != (reach ? Verdict::violated : Verdict::holds)) return false;
    const auto forced = forced_truth(result.property.expr, !reach, atom.expr);
    return forced && truths == (*forced ? Monitor<Predicate>::seen_true : Monitor<Predicate>::seen_false);
  }

  void set_resources(std::uint64_t peak_elsewhere) {
    const std::uint64_t peak = peak_resident_bytes();
    set("state_bytes", std::uint64_t{layout_.size()});
    if (result_.states != 0 && keeps_states_) {
      const std::uint64_t used = peak > resident_at_start_ ? peak - resident_at_start_ : 0;
      set("bytes_per_state", static_cast<double>(used) / static_cast<double>(result_.states));
    }
    set("threads", std::uint64_t{options_.threads});
    set("time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
    set("peak_rss_bytes", std::max(peak, peak_elsewhere));
  }

  void set(Stat stat, Statistics::Value value) { outcome_.statistics.set(stat, std::move(value)); }

  const System& system_;
  const std::vector<Property>& properties_;
  const SafetyOptions& options_;
  Budget& budget_;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t resident_at_start_;
  Layout layout_;
  Monitor<Predicate> monitor_;
  std::vector<Atom> atoms_;
  SearchResult result_;
  bool keeps_states_ = true;
  std::string sampled_, cut_off_remark_;
  Outcome outcome_;
};

}  // namespace

Outcome check_safety(const System& system, const std::vector<Property>& properties,
                     const SafetyOptions& options, Budget& budget) {
  return SafetyCheck(system, properties, options, budget).run();
}

}  // namespace tideline
