// Native code for a System, made while the program runs.
//
// Functions are made from the same filing as the interpreter's tables, and emit the same steps in the same
// order. Where the model fails they give up, and the interpreter does that state: it alone knows about errors.
//
// A build without AsmJit, a processor other than x86-64, or a system that forbids executable memory has no
// native code; unavailable() says why, and everything works by interpretation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "model/layout.hpp"
#include "model/system.hpp"

namespace tideline::native {

/// States that functions for steps read and write are padded to a multiple of this.
inline constexpr std::size_t state_unit = 16;
constexpr std::size_t padded(std::size_t state_bytes) {
  return state_bytes == 0 ? state_unit : (state_bytes + state_unit - 1) / state_unit * state_unit;
}

/// Why there is no native code on this machine or in this build; empty: there is.
std::string unavailable();

/// The steps from a state: how many there are, or gave_up. `state` is padded, and there is room for as many
/// padded successors and actions as NativeSteps says.
using StepFunction = std::int64_t (*)(const std::byte* state, std::byte* successors, ActionId* actions);
inline constexpr std::int64_t gave_up = -1;

/// Executable memory, freed with the last copy.
using CodeMemory = std::shared_ptr<const void>;

struct NativeSteps {
  CodeMemory memory;
  StepFunction function = nullptr;
  std::size_t most_steps = 0;  ///< of one call
};

/// Nothing when there can be none, or when it was stopped.
std::optional<NativeSteps> compile_steps(const System& system, const Layout& layout,
                                         const std::stop_token& stop = {});

struct Value {
  std::int64_t value;
  std::uint64_t gave_up;  ///< 1: it did
};
using ValueFunction = Value (*)(const std::byte* state);

struct NativeValue {
  CodeMemory memory;
  ValueFunction function = nullptr;
};

std::optional<NativeValue> compile_value(const System& system, const Layout& layout, const Expr& expr);

/// Native code for the steps of a system, made when it is first asked for. Shared by all threads of a search.
class Supply {
 public:
  /// Both must outlive it.
  Supply(const System& system, const Layout& layout) : system_(system), layout_(layout) {}

  /// The code, if there is any by now. Unless the system asks for native code from the beginning, it is made in
  /// another thread, and callers go on without it until it is there.
  const NativeSteps* steps();

 private:
  void make(const std::stop_token& stop);

  const System& system_;
  const Layout& layout_;
  std::once_flag asked_;
  std::optional<NativeSteps> made_;
  std::atomic<const NativeSteps*> ready_{nullptr};
  std::jthread thread_;
};

}  // namespace tideline::native
