// libFuzzer target: any bytes are either an automaton, which reads back as it is written, or refused with an Error.
#include <cstdlib>

#include "accepted_or_refused.hpp"
#include "logic/automaton.hpp"
#include "logic/automaton_text.hpp"
#include "logic/hoa.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  fuzz::accepted_or_refused([&] {
    const Automaton automaton = read_hoa({"input.hoa", fuzz::text_of(data, size)});
    (void)describe(automaton);
    const Automaton again = read_hoa({"again.hoa", to_hoa(automaton)});
    if (again.states != automaton.states || again.initial != automaton.initial ||
        again.sets != automaton.sets || again.atoms != automaton.atoms ||
        again.edge_count() != automaton.edge_count() || is_weak(again) != is_weak(automaton))
      std::abort();
  });
  return 0;
}
