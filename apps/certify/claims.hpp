// Claims: what has to be true of each state of a section, so that the section proves a property.
//
// Every section is a set of states that has the initial ones in it and that no step leaves. Beyond that
//
//   states   Invariants are true in each, assertions likewise, what cannot be reached is false, and a state without
//            steps is an end that the model allows.
//   runs     States of the product with the automaton that accepts wrong runs. Each has a rank, which never grows along
//            a step. With n acceptance sets, a step that keeps rank r does not visit set r modulo n; without sets, no
//            step keeps it. So no run visits all of them again and again.
//   CTL      Of subformulas (model/ctl_claims.hpp), each state has a number that says whether they are true there, and a
//            rank where that has to become so in the end: where E(f U g) is true, and where EG f is false. What makes
//            one of them true in a state must be so there; or in one successor, which is named by its place in the
//            order of bytes; or in all. The next rank must be smaller.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "certificate_reader.hpp"
#include "model/ctl_claims.hpp"
#include "run/property.hpp"
#include "steps.hpp"

namespace tideline::certify {

/// What a rank of a state may be.
struct Bounds {
  certificate::Rank least = 0, most = no_rank;
};

class Claim {
 public:
  virtual ~Claim() = default;

  /// Called with a state that must be in the section, with ranks within these bounds.
  using Demand = std::function<void(ActionId action, const std::byte* state, std::span<const Bounds> ranks)>;

  /// How many each state has.
  virtual std::size_t ranks() const = 0;

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
ClaimMaker claim_of_ctl(Question question, Property property);

/// Throws Refused unless the section has states, and numbers beside them, as the claim needs them.
void require_form(const Section& section, std::size_t state_bytes, std::size_t extra_bytes);

}  // namespace tideline::certify
