// libFuzzer target: any bytes are either an LTS, which reads back as it was written, or refused
// with an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "accepted_or_refused.hpp"
#include "lang/lts/aut.hpp"
#include "lang/lts/bisimulation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  fuzz::accepted_or_refused([&] {
    const lts::Lts lts = lts::read_aut({"input.aut", fuzz::text_of(data, size)}, "i");
    const lts::Lts again = lts::read_aut({"again.aut", lts::to_aut(lts)}, "i");
    if (again.states != lts.states || again.transitions.size() != lts.transitions.size()) std::abort();
    if (lts.states < 10'000 && lts::minimise(lts).lts.states > lts.states) std::abort();
  });
  return 0;
}
