// The kernel for cards as PTX, made when Tideline was built (card_kernel.cu).
#pragma once

#include <string>

namespace tideline::gpu {

/// For states of so many words; empty: this build has none, because clang was not there.
std::string kernel_text(unsigned words, bool sweeps);

}  // namespace tideline::gpu
