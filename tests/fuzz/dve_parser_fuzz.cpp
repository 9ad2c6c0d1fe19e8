// libFuzzer target: any bytes are either a DVE model or refused with an Error that says why.
//
// The input is read like a file, with the properties in its comments. The first byte's lowest bit chooses how
// messages are treated, so that both ways are tried without a format of our own.
#include <cstddef>
#include <cstdint>

#include "accepted_or_refused.hpp"
#include "lang/lang.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tideline::LoadOptions options;
  options.wrap_messages = size > 0 && (data[0] & 1) != 0;
  tideline::fuzz::accepted_or_refused([&] {
    const tideline::Model model =
        tideline::read_model({"input.dve", tideline::fuzz::text_of(data, size)}, options);
    for (const tideline::Action& action : model.system.actions)
      (void)tideline::to_string(action.guard, model.system);
  });
  return 0;
}
