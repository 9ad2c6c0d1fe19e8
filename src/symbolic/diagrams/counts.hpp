// Statistics shared by all searches on diagrams.
#pragma once

#include <gmpxx.h>

#include <chrono>

#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "symbolic/diagrams/forest.hpp"

namespace tideline::symbolic {

/// A number, or its digits when 64 bits are not enough.
inline Statistics::Value count_value(const mpz_class& count) {
  if (mpz_sizeinbase(count.get_mpz_t(), 2) > 64) return count.get_str();
  std::uint64_t value = 0;
  mpz_export(&value, nullptr, -1, sizeof value, 0, 0, count.get_mpz_t());
  return value;
}

/// Sets the figures of a space (StateSpace, LtlSpace) and its copies.
void set_diagram_figures(auto& space, Statistics& statistics, const ForestFigures& copies = {}) {
  auto figures = space.forest().figures();
  figures += copies;
  statistics.set("nodes_peak", figures.peak_nodes);
  statistics.set("node_bytes", figures.peak_bytes);
  statistics.set("diagram_levels", std::uint64_t{space.levels().top()});
  statistics.set("order", space.order().name);
  statistics.set("cache_lookups", figures.cache_lookups);
  statistics.set("cache_hits", figures.cache_hits);
  statistics.set("collections", figures.collections);
  statistics.set("tuples", space.relations().tuples_fired());
}

/// Sets the figures that every search reports at its end.
inline void set_run_figures(std::chrono::steady_clock::time_point start, unsigned threads,
                            Statistics& statistics) {
  statistics.set("threads", std::uint64_t{threads});
  statistics.set("time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  statistics.set("peak_rss_bytes", peak_resident_bytes());
}

}  // namespace tideline::symbolic
