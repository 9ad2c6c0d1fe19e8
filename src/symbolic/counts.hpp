// Counts of states as statistics have them.
#pragma once

#include <gmpxx.h>

#include "run/outcome.hpp"

namespace tideline::symbolic {

/// A number, or its digits when 64 bits are not enough.
inline Statistics::Value count_value(const mpz_class& count) {
  if (mpz_sizeinbase(count.get_mpz_t(), 2) > 64) return count.get_str();
  std::uint64_t value = 0;
  mpz_export(&value, nullptr, -1, sizeof value, 0, 0, count.get_mpz_t());
  return value;
}

}  // namespace tideline::symbolic
