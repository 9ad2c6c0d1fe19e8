// MeasuredProduct: a product with a property automaton, measured by the system's progress
// and the automaton's.
//
// The SCCs of the automaton, in topological order, are a measure of their own, and a monotone one: a run that
// has left an SCC never comes back to it. Together with the terms of the system's measure that are claimed
// monotone they cut the product into columns: where these upper bits differ, nothing leads back.
//
// Put first, or in the middle when nothing is claimed, the automaton's part makes every state that enters the
// next SCC wait in memory until the one before is done; put last, it only makes layers smaller.
//
//     claimed terms | SCC of the automaton | other terms    AutomatonOrder::middle
//     SCC of the automaton | all terms                      AutomatonOrder::first
//     all terms | SCC of the automaton                      AutomatonOrder::last
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "graph/progress.hpp"
#include "graph/property_product.hpp"
#include "graph/regions.hpp"
#include "progress/measure.hpp"

namespace tideline {

enum class AutomatonOrder {
  automatic,  ///< middle when some terms are claimed monotone, else last
  none,
  first,
  middle,
  last,
};

/// The bits that the order of the automaton's SCCs takes beside a measure.
inline unsigned automaton_bits(const Regions& regions, AutomatonOrder order) {
  return order == AutomatonOrder::none ? 0 : static_cast<unsigned>(std::bit_width(regions.ranks - 1));
}

/// Throws Error(usage) when measure and automaton need more than 64 bits.
inline void require_bits(const Measure& measure, unsigned automaton_bits) {
  if (measure.bits() + automaton_bits > 64)
    throw Error(ErrorKind::usage,
                fmt::format("the measure needs {} bits and the order of the property automaton {}, more than "
                            "64 together; --sweep automaton-none leaves the automaton out",
                            measure.bits(), automaton_bits));
}
inline void require_bits(const Measure& measure, const PropertyProcess& property, AutomatonOrder order) {
  require_bits(measure, automaton_bits(regions_of(property), order));
}

template <class Product>
class MeasuredProduct {
 public:
  /// The property must outlive it. Throws Error(usage) as require_bits() does.
  MeasuredProduct(Product product, const PropertyProcess& property, const Measure& measure,
                  AutomatonOrder order)
      : product_(std::move(product)), regions_(std::make_shared<Regions>(regions_of(property))) {
    const std::size_t claimed = measure.monotone_terms();
    if (order == AutomatonOrder::automatic)
      order = claimed != 0 ? AutomatonOrder::middle : AutomatonOrder::last;
    const std::size_t split = order == AutomatonOrder::middle  ? claimed
                              : order == AutomatonOrder::first ? 0
                                                               : measure.terms().size();
    upper_ = measure.prefix(split);
    lower_ = measure.suffix(split);
    automaton_bits_ = automaton_bits(*regions_, order);
    require_bits(measure, automaton_bits_);
    const unsigned unclaimed = measure.suffix(claimed).bits();
    if (claimed != 0) claimed_shift_ = split < claimed ? unclaimed : automaton_bits_ + unclaimed;
    if (order == AutomatonOrder::middle || order == AutomatonOrder::first)
      column_shift_ = order == AutomatonOrder::first ? unclaimed : lower_.bits();
    else if (claimed != 0)
      column_shift_ = automaton_bits_ + unclaimed;
  }

  std::size_t state_size() const { return product_.state_size(); }
  bool is_state(const std::byte* state) const { return is_state_of(product_, state); }
  template <class Sink>
  void initial(Sink&& sink) {
    product_.initial(std::forward<Sink>(sink));
  }
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    product_.successors(state, std::forward<Sink>(sink));
  }
  bool accepting(const std::byte* state) const { return product_.accepting(state); }
  Region region(const std::byte* state) const { return product_.region(state); }
  bool weak() const { return product_.weak(); }

  Progress progress(const std::byte* state) const {
    Progress value = upper_(state);
    if (automaton_bits_ != 0) value = value << automaton_bits_ | regions_->rank[product_.location(state)];
    return lower_.bits() == 64 ? lower_(state) : value << lower_.bits() | lower_(state);
  }
  /// The system's part of a progress value, for display.
  std::string show(Progress value) const {
    const Progress upper =
        lower_.bits() + automaton_bits_ == 64 ? 0 : value >> (lower_.bits() + automaton_bits_);
    if (upper_.terms().empty()) return lower_.show(value);
    return lower_.terms().empty() ? upper_.show(upper) : upper_.show(upper) + " " + lower_.show(value);
  }
  /// progress >> claimed_shift() is what the measure claims to be monotone; 64: it claims nothing.
  unsigned claimed_shift() const { return claimed_shift_; }
  /// progress >> column_shift() tells columns apart; 64: there is only one.
  unsigned column_shift() const { return column_shift_; }

 private:
  Product product_;
  std::shared_ptr<const Regions> regions_;
  Measure upper_, lower_;
  unsigned automaton_bits_ = 0;
  unsigned claimed_shift_ = 64, column_shift_ = 64;
};

}  // namespace tideline
