#include "claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace tideline::certify {

namespace {

using certificate::Rank;

/// What all claims have in common: steps of the system.
class SystemClaim : public Claim {
 public:
  SystemClaim(const Question& question, std::size_t ranks)
      : any_(ranks), system_(question.system), steps_(system_, question.errors), layout_(steps_.layout()) {}

  void initial(const Demand& demand) override {
    std::vector<std::byte> state(layout_.size());
    layout_.pack(system_.initial, state.data());
    demand(no_action, state.data(), any_);
  }
  std::size_t ranks() const override { return any_.size(); }
  std::string show(const std::byte* state) const override {
    return certify::show(system_, layout_.unpack(state));
  }

 protected:
  std::vector<Bounds> any_;  // ranks will do
  const System& system_;
  Steps steps_;
  const Layout& layout_;
};

class StatesClaim : public SystemClaim {
 public:
  StatesClaim(const Question& question, const std::vector<Property>& properties)
      : SystemClaim(question, 0), properties_(properties) {}

  void check(const BlockCursor& at, const Demand& demand) override {
    steps_.go_to(at.state());
    const bool steps =
        steps_.successors([&](ActionId action, const std::byte* next) { demand(action, next, {}); });
    for (const Property& property : properties_)
      if (property.kind == PropertyKind::deadlock) {
        if (!steps && !(system_.may_end && steps_.is_true(*system_.may_end))) throw Wrong{"it is a deadlock"};
      } else if (has_expression(property.kind)) {
        const bool wanted = property.kind != PropertyKind::reach;
        if (steps_.is_true(property.expr) != wanted)
          throw Wrong{fmt::format("'{}' is {} there", property.formula, wanted ? "false" : "true")};
      }
  }

 private:
  const std::vector<Property>& properties_;
};

class RunsClaim : public SystemClaim {
 public:
  RunsClaim(const Question& question, const PropertyProcess& process)
      : SystemClaim(question, 1),
        process_(process),
        edges_of_(process.locations.size()),
        packed_(layout_.size() + sizeof(std::uint16_t)) {
    for (const PropertyProcess::Edge& edge : process.edges)
      edges_of_[edge.from].push_back({edge, process.marks_of(edge.from) | edge.marks});
  }

  void initial(const Demand& demand) override {
    layout_.pack(system_.initial, packed_.data());
    put_location(process_.initial);
    demand(no_action, packed_.data(), any_);
  }

  void check(const BlockCursor& at, const Demand& demand) override {
    const LocationId location = location_of(at.state());
    if (location >= edges_of_.size()) throw Wrong{"the automaton has no such location"};
    steps_.go_to(at.state());
    enabled_.clear();
    for (const auto& [edge, marks] : edges_of_[location])
      if (steps_.is_true(edge.guard)) enabled_.push_back({edge, {0, most_after(at.extra(0), marks)}});
    if (enabled_.empty()) return;
    const auto follow = [&](ActionId action, const std::byte* next) {
      move(at.state(), action, next, demand);
    };
    if (!steps_.successors(follow)) move(at.state(), no_action, at.state(), demand);
  }

  std::string show(const std::byte* state) const override {
    return fmt::format("{}, the automaton at {}", SystemClaim::show(state), location_of(state));
  }

 private:
  struct MarkedEdge {
    const PropertyProcess::Edge& edge;
    std::uint32_t marks;
  };
  struct Enabled {
    const PropertyProcess::Edge& edge;
    Bounds bounds;
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

  void move(const std::byte* from, ActionId action, const std::byte* next, const Demand& demand) {
    for (const auto& [edge, bounds] : enabled_) {
      std::memcpy(packed_.data(), next, layout_.size());
      if (!edge.effects.empty()) apply_effects(edge, from);
      put_location(edge.to);
      demand(action, packed_.data(), {&bounds, 1});
    }
  }
  void apply_effects(const PropertyProcess::Edge& edge, const std::byte* from) {
    Values next = layout_.unpack(packed_.data());
    const ModelError error = steps_.reference().apply(edge.effects, layout_.unpack(from), next);
    if (error.kind != ModelErrorKind::none)
      throw Wrong{"the automaton meets a model error: " + error.message};
    layout_.pack(next, packed_.data());
  }

  const PropertyProcess& process_;
  std::vector<std::vector<MarkedEdge>> edges_of_;
  std::vector<Enabled> enabled_;
  std::vector<std::byte> packed_;
};

class CtlClaim : public SystemClaim {
 public:
  CtlClaim(const Question& question, const Property& property)
      : SystemClaim(question, claimed_nodes(*property.ctl).size()),
        formula_(*property.ctl),
        maximal_(property.deadlock_paths == DeadlockPaths::maximal),
        claimed_(claimed_nodes(formula_)),
        place_(formula_.nodes.size()),
        value_(formula_.nodes.size()) {
    for (std::size_t i = 0; i < claimed_.size(); ++i) place_[claimed_[i]] = i;
  }

  void initial(const Demand& demand) override {
    SystemClaim::initial([&](ActionId action, const std::byte* state, std::span<const Bounds>) {
      std::vector<Bounds> bounds = any_;
      bounds[place_[formula_.root()]] = bounds_of(formula_.root(), true);
      demand(action, state, bounds);
    });
  }

  void check(const BlockCursor& at, const Demand& demand) override {
    steps_.go_to(at.state());
    all_ = any_;
    one_.clear();
    needs_step_ = false;
    for (NodeId id = 0; id < formula_.nodes.size(); ++id) value_[id] = evaluate(id, at);
    successors_.clear();
    const bool steps = steps_.successors([&](ActionId action, const std::byte* next) {
      demand(action, next, all_);
      if (!one_.empty()) successors_.emplace(text_of(next, layout_.size()), action);
    });
    if (!steps && needs_step_) throw Wrong{"nothing leads from it to where the formula leads"};
    for (const OfOne& one : one_)
      if (steps) demand_one(at, one, demand);
    for (NodeId id = 0; !steps && id < formula_.nodes.size(); ++id)
      if (const auto& [op, operand, none] = formula_.nodes[id]; op == CtlFormula::Op::ex)
        require(value_[id] == (!maximal_ && value_[operand]));
  }

 private:
  using NodeId = CtlFormula::NodeId;

  /// The rank of a subformula where it has this value.
  Bounds bounds_of(NodeId node, bool value) const {
    const bool ranked = value != (formula_.nodes[node].op == CtlFormula::Op::eg);
    return ranked ? Bounds{0, no_rank - 1} : Bounds{no_rank, no_rank};
  }
  static Bounds below(Rank rank) {
    if (rank == 0) throw Wrong{"its rank is 0, and it is not where the formula leads"};
    return {0, rank - 1};
  }
  static void require(bool right) {
    if (!right) throw Wrong{"what the certificate says about a subformula is wrong"};
  }

  /// The value of a subformula, by its operands and by what is claimed, and what this demands of successors.
  bool evaluate(NodeId id, const BlockCursor& at) {
    using Operator = CtlFormula::Op;
    const auto& [op, left, right] = formula_.nodes[id];
    const bool is_claimed = std::ranges::binary_search(claimed_, id);
    const Rank rank = is_claimed ? at.extra(place_[id]) : 0;
    const bool claimed = (rank != no_rank) != (op == Operator::eg);
    if (op == Operator::ex) {
      claimed ? demand_of_one(id, left, bounds_of(left, true)) : demand_of_all(left, bounds_of(left, false));
      return claimed;
    }
    if (op == Operator::eu) {
      require(value_[right] ? claimed : !claimed || value_[left]);
      if (value_[right] || !value_[left]) return claimed;
      needs_step_ |= claimed;
      claimed ? demand_of_one(id, id, below(rank)) : demand_of_all(id, bounds_of(id, false));
      return claimed;
    }
    if (op == Operator::eg) {
      require(!claimed || value_[left]);
      if (!value_[left]) return false;
      needs_step_ |= !claimed;
      claimed ? demand_of_one(id, id, bounds_of(id, true)) : demand_of_all(id, below(rank));
      return claimed;
    }
    const bool value = op == Operator::atom   ? steps_.is_true(formula_.atoms[left])
                       : op == Operator::not_ ? !value_[left]
                       : op == Operator::and_ ? value_[left] && value_[right]
                       : op == Operator::or_  ? value_[left] || value_[right]
                                              : true;
    require(!is_claimed || value == claimed);
    return value;
  }

  void demand_of_one(NodeId because_of, NodeId node, const Bounds& bounds) {
    one_.push_back({place_[because_of], place_[node], bounds});
  }
  void demand_of_all(NodeId node, const Bounds& bounds) {
    all_[place_[node]] = meet(all_[place_[node]], bounds);
  }
  static Bounds meet(const Bounds& a, const Bounds& b) {
    return {std::max(a.least, b.least), std::min(a.most, b.most)};
  }

  /// Of one successor, which the certificate names.
  struct OfOne {
    std::size_t name;  // where the certificate has it
    std::size_t rank;
    Bounds bounds;
  };

  void demand_one(const BlockCursor& at, const OfOne& one, const Demand& demand) const {
    const std::uint32_t number = at.extra(claimed_.size() + one.name);
    if (number >= successors_.size()) throw Wrong{"it names a successor that it does not have"};
    const auto& [state, action] = *std::next(successors_.begin(), number);
    std::vector<Bounds> bounds = all_;
    bounds[one.rank] = meet(bounds[one.rank], one.bounds);
    demand(action, reinterpret_cast<const std::byte*>(state.data()), bounds);
  }

  const CtlFormula& formula_;
  bool maximal_;
  std::vector<NodeId> claimed_;
  std::vector<std::size_t> place_;  // by node: of its rank
  // Of the state that is checked:
  std::vector<char> value_;  // by node
  std::vector<Bounds> all_;  // what ranks of successors may be
  std::vector<OfOne> one_;
  bool needs_step_ = false;
  std::map<std::string, ActionId> successors_;  // in the order of their bytes, which is that of memcmp
};

}  // namespace

ClaimMaker claim_of_states(Question question, std::vector<Property> properties) {
  const auto shared = std::make_shared<const std::vector<Property>>(std::move(properties));
  return [question, shared] { return std::make_unique<StatesClaim>(question, *shared); };
}

ClaimMaker claim_of_runs(Question question, Property property) {
  if (property.process->locations.size() > std::numeric_limits<std::uint16_t>::max())
    throw Refused("its automaton has more locations than states can name");
  return [question, process = property.process] { return std::make_unique<RunsClaim>(question, *process); };
}

ClaimMaker claim_of_ctl(Question question, Property property) {
  const auto shared = std::make_shared<const Property>(std::move(property));
  return [question, shared] { return std::make_unique<CtlClaim>(question, *shared); };
}

void require_form(const Section& section, std::size_t state_bytes, std::size_t extra_bytes) {
  if (section.state_bytes != state_bytes || section.extra_bytes != extra_bytes)
    throw Refused(fmt::format("its states have {} and {} bytes, those of the model {} and {}",
                              section.state_bytes, section.extra_bytes, state_bytes, extra_bytes));
}

}  // namespace tideline::certify
