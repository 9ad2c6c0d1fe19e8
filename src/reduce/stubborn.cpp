#include "reduce/stubborn.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "exec/compiler.hpp"
#include "exec/interpreter.hpp"
#include "model/value_condition.hpp"
#include "reduce/closing.hpp"
#include "reduce/decisions.hpp"
#include "reduce/relations.hpp"

namespace tideline::por {

namespace {

std::vector<std::vector<Condition>> goals_of(const System& system, const Preserved& preserved) {
  std::vector<std::vector<Condition>> goals;
  for (const Expr& goal : preserved.goals)
    goals.push_back(
        conditions_of(goal, [&](const Expr& part, const auto&) { return may_lack_value(part, system); }));
  return goals;
}

std::size_t hash_of(const std::vector<std::byte>& state) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(state.data()), state.size()});
}

}  // namespace

std::shared_ptr<const StubbornSets> StubbornSets::make(const System& system, ErrorSemantics errors,
                                                       Preserved preserved, Method method, Budget* budget) {
  const std::shared_ptr<StubbornSets> sets(
      new StubbornSets(system, errors, std::move(preserved), method, budget));
  if (sets->given_up())
    sets->is_useless_ = true;
  else
    look_at_sample(sets, errors, budget);
  return sets;
}

StubbornSets::StubbornSets(const System& system, ErrorSemantics errors, Preserved preserved, Method method,
                           Budget* budget)
    : preserved_(std::move(preserved)),
      relations_(std::make_unique<Relations>(system, errors, goals_of(system, preserved_), budget)),
      rules_(std::make_unique<Rules>(*relations_, errors, preserved_, method)) {}

/// Random walks, always the same ones.
void StubbornSets::look_at_sample(const std::shared_ptr<StubbornSets>& sets, ErrorSemantics errors,
                                  Budget* budget) {
  constexpr std::size_t walks = 40, steps = 100, few = 10;
  std::mt19937 random(1);  // NOLINT: the same every time
  const System& system = sets->relations().system();
  Interpreter interpreter(Program::compile(system, errors));
  const auto is_seen = [&](const std::byte* packed) {
    return system.transient == no_slot ||
           load_field(packed, interpreter.layout().field(system.transient)) == 0;
  };
  std::vector<std::byte> state(interpreter.state_size());
  std::vector<ActionId> enabled, needed;
  std::uint64_t all_enabled = 0, all_needed = 0;
  StubbornSet set(sets);
  set.closing_->teach(*sets->rules_);
  set.decisions_.reset();
  std::unordered_set<std::size_t> seen;  // of a small system a few walks see everything
  for (std::size_t walk = 0; walk < walks && seen.size() >= walk * few; ++walk) {
    interpreter.initial([&](const std::byte* first) { std::copy_n(first, state.size(), state.begin()); });
    for (std::size_t step = 0; step < steps; ++step) {
      if (budget) budget->require();  // a state may take long
      seen.insert(hash_of(state));
      enabled.clear();
      interpreter.enabled(state.data(), [&](ActionId a, ModelErrorKind error) {
        if (error == ModelErrorKind::none) enabled.push_back(a);
      });
      if (enabled.empty()) break;
      if (is_seen(state.data())) {
        needed = enabled;
        set.reduce(state.data(), needed);
        all_enabled += enabled.size();
        all_needed += needed.size();
      }
      const Step next = interpreter.fire(state.data(), enabled[random() % enabled.size()]);
      if (next.state == nullptr) break;
      std::copy_n(next.state, state.size(), state.begin());
    }
  }
  set.reduced_states_ = 0;
  for (const bool is_clean : {false, true})
    for (const bool goes_back : {false, true}) sets->rules_->trials({is_clean, goes_back}).conclude();
  sets->is_useless_ = all_needed == all_enabled;
  if (all_enabled != 0)
    sets->needed_in_sample_ = static_cast<double>(all_needed) / static_cast<double>(all_enabled);
}

StubbornSets::~StubbornSets() = default;

bool StubbornSets::given_up() const {
  return relations_->given_up();
}

Dirt StubbornSets::dirt(ActionId action) const {
  return rules_->dirt[action];
}

bool StubbornSets::has_clean_sets() const {
  return rules_->has_clean_sets;
}

StubbornSet::StubbornSet(std::shared_ptr<const StubbornSets> sets)
    : sets_(std::move(sets)),
      closing_(std::make_unique<Closing>(*sets_->relations_, *sets_->rules_)),
      decisions_(std::make_unique<Decisions>(closing_->questions())) {}

StubbornSet::~StubbornSet() {
  sets_->reduced_states_ += reduced_states_;
}

bool StubbornSet::reduce(const std::byte* state, std::vector<ActionId>& enabled) {
  is_complete_ = true;
  if (enabled.empty() || (enabled.size() == 1 && sets_->rules_->needs_enabled) || sets_->is_useless_)
    return false;
  if (sets_->relations().opening().contains(state)) return false;
  const auto keep = [&](std::span<const std::uint32_t> places) {
    for (std::size_t i = 0; i < places.size(); ++i) enabled[i] = enabled[places[i]];
    enabled.resize(places.size());
    ++reduced_states_;
  };
  if (decisions_) {
    const Decisions::Choice* const known =
        decisions_->find(enabled, [&](Question question) { return closing_->answer(question, state); });
    if (known != nullptr) {
      is_complete_ = known->is_complete;
      if (known->is_reduced) keep(decisions_->places(*known));
      return known->is_reduced;
    }
  }
  const bool is_reduced = closing_->find(state, enabled);
  is_complete_ = !is_reduced || closing_->is_complete();
  if (decisions_) decisions_->remember(closing_->answers(), is_reduced, is_complete_, closing_->places());
  if (is_reduced) keep(closing_->places());
  return is_reduced;
}

}  // namespace tideline::por
