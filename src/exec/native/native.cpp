#include "exec/native/native.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#if TIDELINE_NATIVE
#include "exec/native/lowering.hpp"
#include "exec/native/x86.hpp"
#endif

namespace tideline::native {

#if TIDELINE_NATIVE

namespace {

using Runtime = std::shared_ptr<asmjit::JitRuntime>;

/// Code in memory that may be executed.
struct Loaded {
  explicit Loaded(Runtime memory) : runtime(std::move(memory)) {}
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() {
    if (entry != nullptr) runtime->release(entry);
  }

  Runtime runtime;
  void* entry = nullptr;
};

/// Functions for values are small, and there may be hundreds, so they share pages. Each at the beginning of a page of its
/// own, they would be in the same few lines of the caches. The pages are given back with the last function.
Runtime runtime_of_values() {
  static std::mutex mutex;
  static std::weak_ptr<asmjit::JitRuntime> shared;
  const std::lock_guard lock(mutex);
  Runtime runtime = shared.lock();
  if (!runtime) shared = runtime = std::make_shared<asmjit::JitRuntime>();
  return runtime;
}

/// assemble(holder) writes the code. Nothing where the assembler or the operating system refuses.
template <class Assemble>
std::shared_ptr<Loaded> load(Runtime runtime, const Assemble& assemble) {
  auto loaded = std::make_shared<Loaded>(std::move(runtime));
  asmjit::CodeHolder holder;
  if (holder.init(loaded->runtime->environment()) != asmjit::kErrorOk) return nullptr;
  if (assemble(holder) != asmjit::kErrorOk) return nullptr;
  if (loaded->runtime->add(&loaded->entry, &holder) != asmjit::kErrorOk) return nullptr;
  return loaded;
}

}  // namespace

std::string unavailable() {
  static const bool works = load(std::make_shared<asmjit::JitRuntime>(), [](asmjit::CodeHolder& holder) {
                              asmjit::x86::Assembler(&holder).ret();
                              return asmjit::kErrorOk;
                            }) != nullptr;
  return works ? "" : "this system does not allow memory that is written and then executed";
}

std::optional<NativeSteps> compile_steps(const System& system, const Layout& layout,
                                         const std::stop_token& stop) {
  const Filing filing(system, layout);
  const auto function = lower_steps(system, layout, filing, stop);
  if (!function) return std::nullopt;
  const auto loaded = load(std::make_shared<asmjit::JitRuntime>(), [&](asmjit::CodeHolder& holder) {
    return assemble_steps(holder, *function, system, layout.size());
  });
  if (!loaded) return std::nullopt;
  return NativeSteps{loaded, reinterpret_cast<StepFunction>(loaded->entry), function->emit_count};
}

std::optional<NativeValue> compile_value(const System& system, const Layout& layout, const Expr& expr) {
  const Function function = lower_value(system, layout, expr);
  const auto loaded = load(runtime_of_values(), [&](asmjit::CodeHolder& holder) {
    return assemble_value(holder, function, system);
  });
  if (!loaded) return std::nullopt;
  return NativeValue{loaded, reinterpret_cast<ValueFunction>(loaded->entry)};
}

#else

std::string unavailable() {
  return "this build has no native code: AsmJit was not installed, or the processor is not an x86-64";
}

std::optional<NativeSteps> compile_steps(const System&, const Layout&, const std::stop_token&) {
  return std::nullopt;
}

std::optional<NativeValue> compile_value(const System&, const Layout&, const Expr&) {
  return std::nullopt;
}

#endif

void Supply::make(const std::stop_token& stop) {
  made_ = compile_steps(system_, layout_, stop);
  if (made_) ready_.store(&*made_, std::memory_order_release);
}

const NativeSteps* Supply::steps() {
  std::call_once(asked_, [this] {
    if (system_.execution == Execution::interpreter || !unavailable().empty()) return;
    if (system_.execution == Execution::native) return make({});
    try {
      thread_ = std::jthread([this](const std::stop_token& stop) {
        try {
          make(stop);
        } catch (const std::bad_alloc&) {  // the search may need the memory: go on without
        }
      });
    } catch (const std::exception&) {  // no more threads, or no memory for one: go on without
    }
  });
  return ready_.load(std::memory_order_acquire);
}

}  // namespace tideline::native
