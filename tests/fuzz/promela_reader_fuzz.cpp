// libFuzzer target: any bytes are either a Promela model or refused with an Error that says why.
//
// The input is read like a file. Few processes may run at a time: many are not wrong, they only take long.
#include <cstddef>
#include <cstdint>
#include <string>

#include "lang/lang.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tideline::LoadOptions options;
  options.most_processes = 6;
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const tideline::Model model = tideline::read_model({"input.pml", text}, options);
    for (const tideline::Action& action : model.system.actions)
      for (const tideline::Participant& p : action.participants)
        (void)tideline::to_string(p.guard, model.system);
  } catch (const tideline::Error& error) {
    // Bad input is bad input, and so is a file to include that is not there; an internal error is ours.
    if (error.kind() != tideline::ErrorKind::input && error.kind() != tideline::ErrorKind::io) throw;
  }
  return 0;
}
