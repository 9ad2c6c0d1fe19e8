// Unbounded nets: they are recognised before a search fills the memory with their markings.
//
// No search visits infinitely many markings, but what it finds on the way is an answer. So it gets a little
// time and memory of its own; what is not decided by then is unknown, because the net is unbounded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checking/reduce_net.hpp"
#include "lang/lang.hpp"
#include "report/answer.hpp"
#include "run/budget.hpp"

namespace tideline {

/// The proof that a model is an unbounded net; nothing where there is none, or none was found.
std::optional<Unboundedness> find_unboundedness(const Model& model);

/// The same for a reduced net, translated back to the original one.
std::optional<Unboundedness> find_unboundedness(const ReducedCheck& reduced);

/// How far to search a net that is unbounded.
class ShortSearch {
 public:
  static constexpr double seconds = 2;
  static constexpr std::uint64_t bytes = std::uint64_t{256} << 20;

  /// `limits` are those that the user has set, of which `gone` seconds are spent. A search with a depth bound
  /// ends by itself, and is not cut short.
  ShortSearch(const Budget::Limits& limits, double gone, bool has_depth);

  const Budget::Limits& limits() const { return limits_; }

  /// Why the verdict is unknown. It does not mention these limits, only those of the user.
  std::string reason(const std::string& of_search, const std::string& unbounded) const;

 private:
  Budget::Limits limits_;
  bool shorter_time_ = false, less_memory_ = false;  ///< than the user has set
};

/// The outcome of an engine that does not begin, because it decides nothing before it has visited everything.
Outcome not_searched(std::string_view engine, std::vector<Property> properties);

/// Gives undecided results their reason.
void explain_unknown(Outcome& outcome, const ShortSearch& search, const std::string& unbounded);

}  // namespace tideline
