// Closure: whether all that a claim demands of a section is in it.
//
// Threads take blocks of the section in their order, check each state, and remember which states are demanded, each once
// and with the smallest rank. When a thread can remember no more, it sorts what it has and compares that with the whole
// section, which is sorted, too. So memory is bounded whatever the size of the certificate, and every state is expanded
// once; a section is read again whenever a thread's memory is full.
#pragma once

#include <cstdint>

#include "certificate_reader.hpp"
#include "claims.hpp"

namespace tideline::certify {

struct ClosureOptions {
  unsigned threads = 1;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< for what is demanded, by all threads
};

struct ClosureFigures {
  std::uint64_t states = 0, steps = 0;
  std::uint64_t comparisons = 0;  ///< with the whole section
};

/// Throws Refused that names the first state that is wrong, and Error(io).
ClosureFigures require_closed(const CertificateReader& reader, const Section& section, const System& system,
                              const ClaimMaker& make_claim, const ClosureOptions& options);

}  // namespace tideline::certify
