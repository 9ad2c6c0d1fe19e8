// For tests: native code against the interpreter, step by step, in memory that ends where it may write.
//
// Walks through a system and compares, in each state, the steps of the interpreter with those of native code, all at
// once and one by one, and with those of the bare function on buffers that lie between pages that nobody may touch: one
// byte too far ends the process.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "exec/machine.hpp"

namespace tideline::test {

using Packed = std::vector<std::byte>;
using Move = std::tuple<ActionId, ModelErrorKind, Packed>;

template <class G>
std::vector<Move> moves(G& graph, const Packed& state) {
  std::vector<Move> result;
  graph.successors(state.data(), [&](const Step& step) {
    result.emplace_back(step.action, step.error,
                        step.state ? Packed(step.state, step.state + graph.state_size()) : Packed{});
  });
  return result;
}

/// The same, by finding and then taking.
inline std::vector<Move> moves_one_by_one(Machine& machine, const Packed& state) {
  std::vector<std::pair<ActionId, ModelErrorKind>> enabled;
  machine.enabled(state.data(),
                  [&](ActionId action, ModelErrorKind error) { enabled.emplace_back(action, error); });
  std::vector<Move> result;
  for (const auto& [action, error] : enabled) {
    const Step step = machine.fire(state.data(), action, error);
    result.emplace_back(step.action, step.error,
                        step.state ? Packed(step.state, step.state + machine.state_size()) : Packed{});
  }
  return result;
}

inline Machine native_machine(System& system, ErrorSemantics errors) {
  system.execution = Execution::native;
  return Machine(Program::compile(system, errors));
}

/// Any state, reachable or not.
template <class Random>
Packed random_state(const System& system, const Layout& layout, Random& random) {
  std::vector<std::int32_t> values;
  for (const Slot& slot : system.slots) {
    const bool extreme = random() % 4 == 0;
    values.push_back(extreme ? (random() % 2 == 0 ? slot.range.low : slot.range.high)
                             : std::uniform_int_distribution<std::int32_t>(
                                   slot.range.low, std::min(slot.range.high, slot.range.low + 4))(random));
  }
  Packed state(layout.size());
  layout.pack(values, state.data());
  return state;
}

/// Memory between two pages that nobody may touch; its end is the beginning of the second.
class FencedBytes {
 public:
  explicit FencedBytes(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inside = (bytes + page - 1) / page * page;
    all_bytes_ = inside + 2 * page;
    void* const all = mmap(nullptr, all_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    all_ = static_cast<std::byte*>(all);
    if (inside != 0 && mprotect(all_ + page, inside, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    begin_ = all_ + page + inside - bytes;
  }
  FencedBytes(const FencedBytes&) = delete;
  FencedBytes& operator=(const FencedBytes&) = delete;
  ~FencedBytes() { munmap(all_, all_bytes_); }

  std::byte* data() const { return begin_; }

 private:
  std::byte* all_ = nullptr;
  std::byte* begin_ = nullptr;
  std::size_t all_bytes_ = 0;
};

/// The function that takes steps, with buffers that are as large as it may use.
class FencedSteps {
 public:
  FencedSteps(native::NativeSteps code, std::size_t state_size)
      : code_(std::move(code)),
        state_size_(state_size),
        stride_(native::padded(state_size)),
        state_(stride_),
        successors_(code_.most_steps * stride_),
        actions_(code_.most_steps * sizeof(ActionId)) {}

  /// Whether it takes these steps, or gives up where the model fails.
  bool takes(const std::vector<Move>& expected, const Packed& state) {
    std::memset(state_.data(), 0, stride_);
    std::copy(state.begin(), state.end(), state_.data());
    auto* const actions = reinterpret_cast<ActionId*>(actions_.data());
    const std::int64_t count = code_.function(state_.data(), successors_.data(), actions);
    if (!std::equal(state.begin(), state.end(), state_.data())) return false;
    if (count == native::gave_up) return true;
    if (count < 0 || static_cast<std::size_t>(count) != expected.size()) return false;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::byte* const successor = successors_.data() + i * stride_;
      if (expected[i] != Move{actions[i], ModelErrorKind::none, Packed(successor, successor + state_size_)})
        return false;
    }
    return true;
  }

 private:
  native::NativeSteps code_;
  std::size_t state_size_, stride_;
  FencedBytes state_, successors_, actions_;
};

/// How native code differs from the interpreter in a walk through this many states; empty: not at all. On a
/// machine without native code there must be none.
template <class Random>
std::string native_difference(System& system, ErrorSemantics errors, Random& random, int states) {
  auto code = native::compile_steps(system, Layout(system));
  if (code.has_value() != native::unavailable().empty()) return "there is native code, or none, unexpectedly";
  if (!code) return {};
  Machine machine = native_machine(system, errors);
  Interpreter interpreter(Program::compile(system, errors));
  FencedSteps fenced(*std::move(code), interpreter.state_size());
  Packed state(interpreter.program().initial_state(),
               interpreter.program().initial_state() + interpreter.state_size());
  for (int i = 0; i < states; ++i) {
    const auto expected = moves(interpreter, state);
    const std::string where = " in state " + std::to_string(i) + " of the walk";
    if (moves(machine, state) != expected) return "other steps" + where;
    if (moves_one_by_one(machine, state) != expected) return "other steps one by one" + where;
    if (!fenced.takes(expected, state)) return "other steps of the bare function" + where;
    std::vector<Packed> next;
    for (const auto& [action, error, successor] : expected)
      if (error == ModelErrorKind::none) next.push_back(successor);
    state = next.empty() || i % 8 == 7 ? random_state(system, interpreter.layout(), random)
                                       : next[random() % next.size()];
  }
  return {};
}

}  // namespace tideline::test
