// libFuzzer target: any bytes are either a model of processes or refused with an Error that says why.
//
// The input is read like a file, with the properties in its comments. Components are kept small: a large one
// is not wrong, it only takes long.
#include <cstddef>
#include <cstdint>

#include "accepted_or_refused.hpp"
#include "lang/lang.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tideline::LoadOptions options;
  options.most_local_states = 1000;
  tideline::fuzz::accepted_or_refused([&] {
    const tideline::Model model =
        tideline::read_model({"input.psl", tideline::fuzz::text_of(data, size)}, options);
    for (const tideline::Action& action : model.system.actions)
      for (const tideline::Participant& p : action.participants)
        (void)tideline::to_string(p.guard, model.system);
  });
  return 0;
}
