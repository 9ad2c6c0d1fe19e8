// Closure: whether all that a claim demands of a section is in it.
//
// The section is put into a table, or as much of it as memory allows. Then threads take blocks in their order, check each
// state, and look up which states are demanded. What would be in other parts of the section, which is sorted, is looked
// up when these are in the table: so memory is bounded whatever the size of the certificate, and there is one pass over
// it where everything fits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

#include "certificate_reader.hpp"
#include "claims.hpp"

namespace tideline::certify {

struct ClosureOptions {
  unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< for states, by all threads
};

struct ClosureFigures {
  std::uint64_t states = 0, steps = 0;
};

/// Throws Refused that names the first state that is wrong, and Error(io).
ClosureFigures require_closed(const CertificateReader& reader, const Section& section, const System& system,
                              const ClaimMaker& make_claim, const ClosureOptions& options);

}  // namespace tideline::certify
