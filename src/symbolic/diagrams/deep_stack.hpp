// Runs a function on a stack that is deep enough for it.
//
// Operations on diagrams recurse once or a few times per level, and nets have tens of thousands of
// levels. They run on a thread of their own whose stack is sized for that; memory of it that is never
// touched costs nothing.
#pragma once

#include <cstddef>
#include <functional>

namespace tideline::symbolic {

/// Runs `work` to its end; what it throws is thrown here. `levels`: of the diagrams it works on.
void run_on_deep_stack(std::size_t levels, const std::function<void()>& work);

}  // namespace tideline::symbolic
