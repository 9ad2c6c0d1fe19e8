#include "reduce/whole_steps.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "model/each_once.hpp"

namespace tideline::por {

namespace {

class WholeSteps {
 public:
  WholeSteps(const System& system, const std::vector<Footprint>& footprints)
      : system_(system), footprints_(footprints) {
    for (ActionId a = 0; a < system.actions.size(); ++a)
      for (const Participant& p : system.actions[a].participants)
        leaving_[{p.component, p.from}].push_back(a);
  }

  Footprint whole(ActionId first) {
    Footprint result = footprints_[first];
    if (result.never_happens) return result;
    const std::vector<ActionId> inner = inner_actions(first);
    if (!inner.empty()) result.is_several = true;
    for (const ActionId a : inner) {
      const Footprint& part = footprints_[a];
      for (const Write& write : part.writes) {
        result.writes.push_back({write.slot});
        result.effect_reads.push_back(write.slot);  // an addition reads it
      }
      result.effect_reads.insert(result.effect_reads.end(), part.effect_reads.begin(),
                                 part.effect_reads.end());
      for (const Condition& condition : part.conditions)
        result.effect_reads.insert(result.effect_reads.end(), condition.reads.begin(), condition.reads.end());
      result.may_fail |= part.may_fail;
    }
    // It may come back to where it was, and never end.
    result.may_fail |= goes_round_;
    std::ranges::sort(result.writes, {}, &Write::kind);  // of several to a slot, `any` is kept
    keep_each_once(result.writes, &Write::slot);
    std::erase_if(result.writes, [&](const Write& write) { return write.slot == system_.transient; });
    keep_each_once(result.effect_reads);
    std::erase(result.effect_reads, system_.transient);
    return result;
  }

 private:
  using Place = std::pair<ComponentId, LocationId>;

  /// The value that the action leaves in the transient slot; nothing: it does not change it, or fails.
  std::optional<std::int64_t> left_by(ActionId a) const {
    std::optional<std::int64_t> left;
    for (const Assignment& effect : system_.actions[a].effects) {
      if (effect.slot != system_.transient || effect.value.op == Op::fail) continue;
      left = effect.value.is_constant() ? effect.value.value : unknown;
    }
    return left;
  }

  bool allows(ActionId a, std::int64_t value) const {
    const auto may_be_true = [&](Expr guard) {
      replace(guard, value);
      return !fold_constants(std::move(guard), system_.tables).is_constant(0);
    };
    const Action& action = system_.actions[a];
    return value == unknown ||
           (may_be_true(action.guard) && std::ranges::all_of(action.participants, [&](const Participant& p) {
              return may_be_true(p.guard);
            }));
  }

  void replace(Expr& expr, std::int64_t value) const {
    if (expr.op == Op::load && expr.slot == system_.transient) expr = Expr::constant(value);
    for (Expr& arg : expr.args) replace(arg, value);
  }

  /// Those that may follow the first one in its step. Notes whether it may come back to where it was.
  std::vector<ActionId> inner_actions(ActionId first) {
    goes_round_ = false;
    arrivals_.clear();
    inner_.clear();
    go_on_after(first, 0);
    return {inner_.begin(), inner_.end()};
  }

  /// The transient slot had this value before.
  void go_on_after(ActionId a, std::int64_t before) {
    const std::int64_t value = left_by(a).value_or(before);
    if (value == 0) return;
    for (const Participant& p : system_.actions[a].participants) arrive({p.component, p.to}, value);
  }

  void arrive(const Place& place, std::int64_t value) {
    const auto [arrival, is_new] = arrivals_.try_emplace({place, value}, Visit::begun);
    if (!is_new) goes_round_ |= arrival->second == Visit::begun;
    if (!is_new) return;
    for (const LocationId from : {place.second, any_location}) {
      const auto leaving = leaving_.find({place.first, from});
      if (leaving == leaving_.end()) continue;
      for (const ActionId a : leaving->second) {
        if (footprints_[a].never_happens || !allows(a, value)) continue;
        inner_.insert(a);
        go_on_after(a, value);
      }
    }
    arrivals_[{place, value}] = Visit::done;
  }

  static constexpr std::int64_t unknown = -1;

  const System& system_;
  const std::vector<Footprint>& footprints_;
  std::map<Place, std::vector<ActionId>> leaving_;
  enum class Visit : std::uint8_t { begun, done };
  std::map<std::pair<Place, std::int64_t>, Visit> arrivals_;  ///< with what the slot is then
  std::set<ActionId> inner_;
  bool goes_round_ = false;
};

}  // namespace

void join_inner_actions(const System& system, std::vector<Footprint>& footprints) {
  WholeSteps steps(system, footprints);
  std::vector<Footprint> joined;
  for (ActionId a = 0; a < footprints.size(); ++a) joined.push_back(steps.whole(a));
  footprints = std::move(joined);
}

}  // namespace tideline::por
