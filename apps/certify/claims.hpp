// Claims: what has to be true of each state of a section, so that the section proves a property.
//
// Every section is a set of states that has the initial ones in it and that no step leaves. Beyond that
//
//   states   Invariants are true in each, assertions likewise, what cannot be reached is false, and a state without
//            steps is an end that the model allows.
//   runs     States of the product with the automaton that accepts wrong runs. Each has a rank, which never grows along
//            a step. With n acceptance sets, a step that keeps rank r does not visit set r modulo n; without sets, no
//            step keeps it. So no run visits all of them again and again.
//   AG AF p  Each state has a rank. Where p is false there is a step, and all steps lead to smaller ranks.
//   AG EF p  Each state has a rank and the number of one of its successors, in the order of their bytes. Where p is
//            false this one has a smaller rank.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "certificate_reader.hpp"
#include "run/property.hpp"
#include "steps.hpp"

namespace tideline::certify {

/// Any rank will do.
inline constexpr certificate::Rank any_rank = ~certificate::Rank{0};

class Claim {
 public:
  virtual ~Claim() = default;

  /// Called with a state that must be in the section, with a rank of at most `most`.
  using Demand = std::function<void(ActionId action, const std::byte* state, certificate::Rank most)>;

  virtual void initial(const Demand& demand) = 0;
  /// Checks the state at the cursor, and demands its successors. Throws Wrong.
  virtual void check(const BlockCursor& at, const Demand& demand) = 0;

  /// For people.
  virtual std::string show(const std::byte* state) const = 0;
};

/// Makes one for every thread.
using ClaimMaker = std::function<std::unique_ptr<Claim>()>;

struct Question {
  const System& system;
  ErrorSemantics errors = ErrorSemantics::stop;
};

/// All are of states.
ClaimMaker claim_of_states(Question question, std::vector<Property> properties);
/// The property is bound to its automaton.
ClaimMaker claim_of_runs(Question question, Property property);
/// The goal of a formula AG EF or AG AF.
ClaimMaker claim_of_goal(Question question, AlwaysForm::Kind kind, Expr goal);

/// Throws Refused unless the section has states, and numbers beside them, as the claim needs them.
void require_form(const Section& section, std::size_t state_bytes, std::size_t extra_bytes);

}  // namespace tideline::certify
