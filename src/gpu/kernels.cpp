#include "gpu/kernels.hpp"

namespace tideline::gpu {

namespace {

struct KernelText {
  unsigned words;
  const char* text;
};

constexpr KernelText kernels[] = {
#include "card_kernels.inc"
    {0, ""},
};

}  // namespace

std::string kernel_text(unsigned words) {
  for (const KernelText& kernel : kernels)
    if (kernel.words == words) return kernel.text;
  return {};
}

}  // namespace tideline::gpu
