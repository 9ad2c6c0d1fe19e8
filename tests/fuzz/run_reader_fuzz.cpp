// libFuzzer target: any bytes are a run in ITF, an answer in JSON or a trail of SPIN, or refused with an Error; a run is then
// replayed.
#include "accepted_or_refused.hpp"
#include "fuzz_model.hpp"
#include "report/saved_answer.hpp"
#include "trace/spin_trail.hpp"

namespace {

using namespace tideline;

const Model& promela_model() {
  static const Model model = read_model({"fuzz.pml",
                                         "byte n; chan q = [2] of { byte };\n"
                                         "active [2] proctype P() { do :: atomic { n < 3 -> n++; q!n } :: "
                                         "q?n :: d_step { n > 1; n = 0 } od }\n"});
  return model;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  fuzz::accepted_or_refused([&] {
    if (is_spin_trail("input", text)) {
      (void)follow_spin_trail(promela_model().system, read_spin_trail(text, "input"));
    } else if (looks_like_answer(text)) {
      for (const AnswerRun& run : read_answer(text, "input").runs)
        (void)check_against(fuzz::small_model().system, run.trace);
    } else {
      (void)check_against(fuzz::small_model().system, read_itf(text, "input"));
    }
  });
  return 0;
}
