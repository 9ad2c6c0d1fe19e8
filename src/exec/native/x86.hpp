// x86-64 machine code for the form of form.hpp, by AsmJit's assembler.
//
// Registers of the form are registers of the processor as far as there are some, the rest lies in the frame.
// The state that is copied for every successor stays in vector registers where it is small enough, so that a
// copy is a few stores.
#pragma once

#include <asmjit/x86.h>

#include <cstddef>

#include "exec/native/form.hpp"
#include "model/system.hpp"

namespace tideline::native {

/// Appends the machine code of a StepFunction (see native.hpp) for states of this size. The result is an error
/// of AsmJit's, or kErrorOk.
asmjit::Error assemble_steps(asmjit::CodeHolder& holder, const Function& function, const System& system,
                             std::size_t state_bytes);

/// Likewise of a ValueFunction.
asmjit::Error assemble_value(asmjit::CodeHolder& holder, const Function& function, const System& system);

}  // namespace tideline::native
