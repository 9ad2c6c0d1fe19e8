// A small model with some of everything, for targets that read something about a model.
#pragma once

#include "lang/lang.hpp"

namespace tideline::fuzz {

inline const Model& small_model() {
  static const Model model =
      read_model({"fuzz.dve",
                  "byte n, a[3] = {0, 1, 2};\nchannel c;\n"
                  "process P { int x; state s, t; init s; trans\n"
                  "  s -> t { guard n < 3; sync c!; effect n = n + 1, x = n; },\n"
                  "  t -> s { effect a[n % 3] = x; }; }\n"
                  "process Q { state u, v; init u; trans\n"
                  "  u -> v { sync c?; }, v -> u { guard a[1] > 0; }, v -> u { effect n = 0; }; }\n"
                  "system async;\n"});
  return model;
}

}  // namespace tideline::fuzz
