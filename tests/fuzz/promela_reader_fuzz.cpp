// libFuzzer target: any bytes are either a Promela model or refused with an Error that says why.
//
// The input is read like a file. Few processes may run at a time: many are not wrong, they only take long.
#include <cstddef>
#include <cstdint>

#include "accepted_or_refused.hpp"
#include "lang/lang.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tideline::LoadOptions options;
  options.most_processes = 6;
  const auto read = [&] {
    const tideline::Model model =
        tideline::read_model({"input.pml", tideline::fuzz::text_of(data, size)}, options);
    for (const tideline::Action& action : model.system.actions)
      for (const tideline::Participant& p : action.participants)
        (void)tideline::to_string(p.guard, model.system);
  };
  // A file to include may not be there.
  tideline::fuzz::accepted_or_refused(read, {tideline::ErrorKind::io});
  return 0;
}
