// Runs in the data of a report page: the first state, and then what each step changes.
//
// A run of 100,000 steps takes a few megabytes that way, however many variables the model has; the page takes
// the steps one after the other to show any state of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/json_text.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "trace/replay.hpp"

namespace tideline {

enum class PageRunKind : std::uint8_t { counterexample, lasso, witness, simulation };

std::string_view to_string(PageRunKind kind);

/// A run that was replayed, and what the page says about it.
struct PageRun {
  std::string title;
  std::optional<std::size_t> property = {};  ///< index into the properties of the answer
  PageRunKind kind = PageRunKind::counterexample;
  Trace run;
};

/// What a run of a property with this verdict is.
PageRunKind page_run_kind(Verdict verdict, const Trace& run);

/// The values that an action sends or receives in the state: "3", "1, 4"; empty: none.
std::string message_text(const System& system, const Reference& reference, ActionId action,
                         const Values& state);

/// Writes the object of a run. Throws LimitReached.
void write_run(JsonText& json, const System& system, const PageRun& run, Budget* budget = nullptr);

}  // namespace tideline
