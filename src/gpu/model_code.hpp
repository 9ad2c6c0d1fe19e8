// ModelCode: what a device has to know about a model: its steps in parts, what is watched, and how states lie in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/native/form.hpp"
#include "exec/reference.hpp"
#include "gpu/dense_layout.hpp"
#include "gpu/ptx.hpp"
#include "model/layout.hpp"
#include "model/system.hpp"
#include "progress/measure.hpp"

namespace tideline::gpu {

/// A predicate of which a search wants to know where it is true, false or without a value (see Fact).
struct Watch {
  Expr expr;
  std::int32_t if_true = -1, if_false = -1;
};

struct Watches {
  std::vector<Watch> states;     ///< of every new state
  std::vector<Watch> deadlocks;  ///< of states without successors
  std::int32_t facts = 0;        ///< how many there are
};

class ModelCode {
 public:
  /// The system must outlive it. With a measure, it is for a sweep. Throws Error (usage) where the measure has an order
  /// that is too large for a table.
  ModelCode(const System& system, ErrorSemantics errors, Watches watches,
            std::optional<Measure> measure = {});
  ModelCode(const ModelCode&) = delete;
  ModelCode& operator=(const ModelCode&) = delete;

  const System& system() const { return system_; }
  ErrorSemantics errors() const { return errors_; }
  const Layout& layout() const { return layout_; }
  const DenseLayout& dense() const { return dense_; }
  const Watches& watches() const { return watches_; }
  const native::Function& steps() const { return steps_; }
  bool sweeps() const { return measure_.has_value(); }
  /// Of a sweep.
  const Measure& measure() const { return *measure_; }
  const std::vector<RankCode>& ranks() const { return ranks_; }

  /// PTX of the whole module: the kernel's text with the model's code in its places.
  std::string ptx(const std::string& kernel, const std::vector<CodePart>& parts,
                  const PtxWriter::Queue& queue) const;

 private:
  std::vector<Fact> lowered(const std::vector<Watch>& watches) const;
  void lower_measure();

  const System& system_;
  ErrorSemantics errors_;
  Watches watches_;
  std::optional<Measure> measure_;
  Layout layout_;
  DenseLayout dense_;
  native::Function steps_;
  std::vector<RankCode> ranks_;
};

}  // namespace tideline::gpu
