#include "claims.hpp"

#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "model/layout.hpp"

namespace tideline::certify {

namespace {

using certificate::Rank;

/// What all claims have in common: states of the system, packed and not.
class SystemClaim : public Claim {
 public:
  explicit SystemClaim(const Question& question)
      : system_(question.system),
        layout_(system_),
        steps_(system_, question.errors),
        values_(system_.slots.size()),
        packed_(layout_.size() + sizeof(std::uint16_t)) {}

  void initial(const Demand& demand) override {
    layout_.pack(system_.initial, packed_.data());
    demand(no_action, packed_.data(), any_rank);
  }
  std::string show(const std::byte* state) const override {
    return certify::show(system_, layout_.unpack(state));
  }

 protected:
  const System& system_;
  Layout layout_;
  Steps steps_;
  Values values_;
  std::vector<std::byte> packed_;
};

class StatesClaim : public SystemClaim {
 public:
  StatesClaim(const Question& question, const std::vector<Property>& properties)
      : SystemClaim(question), properties_(properties) {}

  void check(const BlockCursor& at, const Demand& demand) override {
    layout_.unpack(at.state(), values_);
    const bool steps = steps_.successors(values_, [&](ActionId action, const Values& next) {
      layout_.pack(next, packed_.data());
      demand(action, packed_.data(), any_rank);
    });
    for (const Property& property : properties_)
      if (property.kind == PropertyKind::deadlock)
        check_end(steps);
      else if (has_expression(property.kind))
        check_value(property);
  }

 private:
  void check_end(bool steps) const {
    if (!steps && !(system_.may_end && steps_.is_true(*system_.may_end, values_)))
      throw Wrong{"it is a deadlock"};
  }
  void check_value(const Property& property) const {
    const bool wanted = property.kind != PropertyKind::reach;
    if (steps_.is_true(property.expr, values_) != wanted)
      throw Wrong{fmt::format("'{}' is {} there", property.formula, wanted ? "false" : "true")};
  }

  const std::vector<Property>& properties_;
};

class RunsClaim : public SystemClaim {
 public:
  RunsClaim(const Question& question, const PropertyProcess& process)
      : SystemClaim(question), process_(process), edges_of_(process.locations.size()) {
    for (const PropertyProcess::Edge& edge : process.edges) edges_of_[edge.from].push_back(&edge);
  }

  void initial(const Demand& demand) override {
    layout_.pack(system_.initial, packed_.data());
    put_location(process_.initial);
    demand(no_action, packed_.data(), any_rank);
  }

  void check(const BlockCursor& at, const Demand& demand) override {
    layout_.unpack(at.state(), values_);
    const LocationId location = location_of(at.state());
    if (location >= edges_of_.size()) throw Wrong{"the automaton has no such location"};
    enabled_.clear();
    for (const PropertyProcess::Edge* edge : edges_of_[location])
      if (steps_.is_true(edge->guard, values_))
        enabled_.push_back({edge, most_after(at.extra(0), process_.marks_of(location) | edge->marks)});
    if (enabled_.empty()) return;
    const auto follow = [&](ActionId action, const Values& next) { move(action, next, demand); };
    if (!steps_.successors(values_, follow)) move(no_action, values_, demand);
  }

  std::string show(const std::byte* state) const override {
    return fmt::format("{}, the automaton at {}", SystemClaim::show(state), location_of(state));
  }

 private:
  struct Enabled {
    const PropertyProcess::Edge* edge;
    Rank most;
  };

  LocationId location_of(const std::byte* state) const {
    std::uint16_t location = 0;
    std::memcpy(&location, state + layout_.size(), sizeof location);
    return location;
  }
  void put_location(LocationId to) {
    const auto location = static_cast<std::uint16_t>(to);
    std::memcpy(packed_.data() + layout_.size(), &location, sizeof location);
  }

  /// The most that a step with these marks may lead to.
  Rank most_after(Rank rank, std::uint32_t marks) const {
    const auto sets = static_cast<Rank>(process_.accepting.size());
    if (sets != 0 && (marks >> (rank % sets) & 1U) == 0) return rank;
    if (rank == 0) throw Wrong{"its rank is 0, and an accepting step leads on"};
    return rank - 1;
  }

  void move(ActionId action, const Values& next, const Demand& demand) {
    for (const Enabled& enabled : enabled_) {
      next_ = next;
      const ModelError error = steps_.reference().apply(enabled.edge->effects, values_, next_);
      if (error.kind != ModelErrorKind::none)
        throw Wrong{"the automaton meets a model error: " + error.message};
      layout_.pack(next_, packed_.data());
      put_location(enabled.edge->to);
      demand(action, packed_.data(), enabled.most);
    }
  }

  const PropertyProcess& process_;
  std::vector<std::vector<const PropertyProcess::Edge*>> edges_of_;
  std::vector<Enabled> enabled_;
  Values next_;
};

class GoalClaim : public SystemClaim {
 public:
  GoalClaim(const Question& question, AlwaysForm::Kind kind, const Expr& goal)
      : SystemClaim(question), kind_(kind), goal_(goal) {}

  void check(const BlockCursor& at, const Demand& demand) override {
    layout_.unpack(at.state(), values_);
    const bool reached = steps_.is_true(goal_, values_);
    const Rank rank = at.extra(0);
    if (!reached && rank == 0) throw Wrong{"its rank is 0, and it is not where the formula leads"};
    const Rank all = !reached && kind_ == AlwaysForm::Kind::inevitable ? rank - 1 : any_rank;
    successors_.clear();
    const bool steps = steps_.successors(values_, [&](ActionId action, const Values& next) {
      layout_.pack(next, packed_.data());
      demand(action, packed_.data(), all);
      if (!reached && kind_ == AlwaysForm::Kind::possible)
        successors_.emplace(std::string(reinterpret_cast<const char*>(packed_.data()), layout_.size()),
                            action);
    });
    if (reached) return;
    if (!steps) throw Wrong{"nothing leads from it to where the formula leads"};
    if (kind_ == AlwaysForm::Kind::possible) demand_one(at.extra(1), rank, demand);
  }

 private:
  void demand_one(std::uint32_t number, Rank rank, const Demand& demand) const {
    if (number >= successors_.size()) throw Wrong{"it names a successor that it does not have"};
    const auto& [state, action] = *std::next(successors_.begin(), number);
    demand(action, reinterpret_cast<const std::byte*>(state.data()), rank - 1);
  }

  AlwaysForm::Kind kind_;
  const Expr& goal_;
  std::map<std::string, ActionId> successors_;  // in the order of their bytes, which is that of memcmp
};

}  // namespace

ClaimMaker claim_of_states(Question question, std::vector<Property> properties) {
  const auto shared = std::make_shared<const std::vector<Property>>(std::move(properties));
  return [question, shared] { return std::make_unique<StatesClaim>(question, *shared); };
}

ClaimMaker claim_of_runs(Question question, Property property) {
  return [question, process = property.process] { return std::make_unique<RunsClaim>(question, *process); };
}

ClaimMaker claim_of_goal(Question question, AlwaysForm::Kind kind, Expr goal) {
  const auto shared = std::make_shared<const Expr>(std::move(goal));
  return [question, kind, shared] { return std::make_unique<GoalClaim>(question, kind, *shared); };
}

void require_form(const Section& section, std::size_t state_bytes, std::size_t extra_bytes) {
  if (section.state_bytes != state_bytes || section.extra_bytes != extra_bytes)
    throw Refused(fmt::format("its states have {} and {} bytes, those of the model {} and {}",
                              section.state_bytes, section.extra_bytes, state_bytes, extra_bytes));
}

}  // namespace tideline::certify
