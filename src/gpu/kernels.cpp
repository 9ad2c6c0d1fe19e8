#include "gpu/kernels.hpp"

namespace tideline::gpu {

namespace {

struct KernelText {
  unsigned words;
  unsigned sweeps;
  const char* text;
};

constexpr KernelText kernels[] = {
#include "card_kernels.inc"
    {0, 0, ""},
};

}  // namespace

std::string kernel_text(unsigned words, bool sweeps) {
  for (const KernelText& kernel : kernels)
    if (kernel.words == words && (kernel.sweeps != 0) == sweeps) return kernel.text;
  return {};
}

}  // namespace tideline::gpu
