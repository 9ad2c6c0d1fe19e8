// libFuzzer target: any bytes are either a Petri net, which reads back as it was written, or refused
// with an Error.
//
// Unfolded nets are kept small: a large one is not wrong, it only takes long.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "accepted_or_refused.hpp"
#include "lang/pnml/pnml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  LoadOptions options;
  options.most_unfolded = 5000;
  fuzz::accepted_or_refused([&] {
    const pnml::Net net = pnml::read_net({"input.pnml", fuzz::text_of(data, size)}, options);
    const pnml::Net again = pnml::read_net({"again.pnml", pnml::to_pnml(net)}, options);
    if (again.places.size() != net.places.size()) std::abort();
    for (std::size_t t = 0; t < net.transitions.size(); ++t) {
      if (again.transitions[t].id != net.transitions[t].id) std::abort();
      if (again.transitions[t].consumes != net.transitions[t].consumes) std::abort();
      if (again.transitions[t].produces != net.transitions[t].produces) std::abort();
    }
    const System system = pnml::to_system(net);
    for (const Action& action : system.actions) (void)to_string(action.guard, system);
  });
  return 0;
}
