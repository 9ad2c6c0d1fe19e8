// PTX for the form of exec/native/form.hpp: the second target beside x86-64. PTX is the text that a card's driver
// compiles.
//
// The state is in registers %s0, %s1, ... of 32 bits, one for each unit of the dense layout, and the successor that is being
// written in %n0, %n1, .... So code of a model reads and writes no memory but the constant tables of the model and the queue: a
// successor is put there as a whole, at a place that was reserved and that is tested to lie within the queue.
//
// What is made here are pieces of code in braces, with registers and labels of their own, for the places that the
// kernel's text has for them (card_kernel.cu, model_code.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exec/native/form.hpp"
#include "gpu/dense_layout.hpp"

namespace tideline::gpu {

/// Instructions of a function from `first` up to `end`, which emit at most so many successors.
struct CodePart {
  std::size_t first = 0, end = 0;
  std::uint32_t emits = 0;
};

/// Neighbouring parts are joined until they may emit so many successors.
std::vector<CodePart> cut_into_parts(const native::Function& function, std::uint32_t emits);

/// What is noticed about a state.
struct Fact {
  native::Function value;  ///< of a predicate
  std::int32_t if_true =
      -1;  ///< a state where it is true tells something, once for all facts of this number; -1: nothing
  std::int32_t if_false = -1;
  // One where it has no value always does.
};

/// A summand of a measure, see MeasurePart.
struct RankCode {
  unsigned shift = 0;
  std::uint64_t weight = 1;
  struct Digit {
    SlotId slot;
    std::int64_t low;
    std::uint64_t count;
  };
  std::vector<Digit> digits = {};
  std::span<const std::uint32_t> ranks = {};
  std::uint32_t other = 0;
  std::optional<native::Function> value = {};  ///< without digits; it counts as 0 where it gives up
  bool negated = false;
  std::int64_t low = 0, high = 0;
};

class PtxWriter {
 public:
  PtxWriter(const System& system, const DenseLayout& dense) : system_(system), dense_(dense) {}

  /// What the queue and the flags of actions look like.
  struct Queue {
    std::uint32_t capacity = 0;
    bool flags = true;  ///< there are flags for enabled actions at the beginning of the shared memory
  };

  /// Sets `emitted`, `gave_up` and `missed`.
  std::string steps(const native::Function& function, const std::vector<CodePart>& parts, const Queue& queue,
                    const std::string& emitted, const std::string& gave_up, const std::string& missed,
                    const std::string& part, const std::string& queue_address);

  /// Sets `tells` to 1 if the state has a fact that is not known yet. The state is in the registers named by `units`.
  std::string facts(const std::vector<Fact>& facts, const std::string& units, const std::string& tells,
                    const std::string& known_address);

  /// Sets `value` to the progress of the state, likewise.
  std::string progress(const std::vector<RankCode>& parts, const std::string& units,
                       const std::string& value);

  /// The constant tables that the pieces so far use, for the beginning of the module.
  std::string tables() const;

 private:
  const System& system_;
  const DenseLayout& dense_;
  std::vector<std::uint32_t> used_tables_;
  std::map<std::size_t, std::span<const std::uint32_t>> rank_tables_;  ///< by part of the measure
};

}  // namespace tideline::gpu
