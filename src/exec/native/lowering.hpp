// Lowering: a System in the form that native code is made from (form.hpp).
#pragma once

#include <optional>
#include <stop_token>

#include "exec/filing.hpp"
#include "exec/native/form.hpp"
#include "model/layout.hpp"
#include "model/system.hpp"

namespace tideline::native {

/// How bits and bytes are found that are not 0, where actions are filed under them.
enum class Scan {
  by_word,    ///< eight bytes at a time, so that those that are 0 cost next to nothing
  one_by_one  ///< each is tested, so that lanes of a card that look at different states stay together
};

/// The function that takes all enabled actions, in the order of the filing. Nothing when it was stopped.
std::optional<Function> lower_steps(const System& system, const Layout& layout, const Filing& filing,
                                    const std::stop_token& stop, Scan scan = Scan::by_word);

/// The function that evaluates an expression in a state.
Function lower_value(const System& system, const Layout& layout, const Expr& expr);

}  // namespace tideline::native
