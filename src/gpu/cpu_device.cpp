// The kernel by threads of the processor: each is a warp with one lane. The steps are those of every other search.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "exec/machine.hpp"
#include "exec/predicate.hpp"
#include "gpu/device.hpp"
#include "gpu/kernel.hpp"
#include "run/budget.hpp"

namespace tideline::gpu {

namespace {

/// Another thread cannot go on.
struct OtherFailed {};

class CpuLanes {
 public:
  static constexpr unsigned count = 1;

  CpuLanes(const Search* search, unsigned words, unsigned threads, std::atomic<bool>& failed)
      : words_(words),
        threads_(threads),
        capacity_(search->queue_capacity),
        failed_(&failed),
        queue_(words * capacity_) {}

  unsigned lane() const { return 0; }
  void sync() const {}
  bool any(bool truth) const { return truth; }
  unsigned rank(bool) const { return 0; }
  std::uint64_t from_first(std::uint64_t value) const { return value; }

  template <class T>
  static T read(const T* at) {
    return std::atomic_ref(*const_cast<T*>(at)).load(std::memory_order_relaxed);
  }
  template <class T>
  static void write(T* at, T value) {
    std::atomic_ref(*at).store(value, std::memory_order_relaxed);
  }
  static std::uint32_t fetch_add(std::uint32_t* at, std::uint32_t value) {
    return std::atomic_ref(*at).fetch_add(value, std::memory_order_relaxed);
  }
  static std::uint64_t fetch_add(std::uint64_t* at, std::uint64_t value) {
    return std::atomic_ref(*at).fetch_add(value, std::memory_order_relaxed);
  }
  static void lower(std::uint64_t* at, std::uint64_t value) {
    std::atomic_ref place(*at);
    for (std::uint64_t there = place.load(); value < there && !place.compare_exchange_weak(there, value);) {
    }
  }
  static void raise(std::uint64_t* at, std::uint64_t value) {
    std::atomic_ref place(*at);
    for (std::uint64_t there = place.load(); value > there && !place.compare_exchange_weak(there, value);) {
    }
  }
  static Word claim(Word* at, Word word) {
    Word there = 0;
    std::atomic_ref(*at).compare_exchange_strong(there, word, std::memory_order_relaxed);
    return there;
  }
  template <unsigned n>
  static void read_words(const Word* from, Word* to) {
    for (unsigned i = 0; i < n; ++i) to[i] = read(from + i);
  }
  static std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{a} * b >> 64);
  }
  static std::uint64_t ticks() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  static void add(std::uint64_t* to, std::uint64_t value) { fetch_add(to, value); }
  static std::uint64_t numbers(std::uint64_t* counter, bool) { return fetch_add(counter, 1); }

  unsigned queued() const { return std::min(queued_, capacity_); }
  void set_queued(unsigned value) { queued_ = value; }
  unsigned reserve() { return queued_++; }
  bool has_room() const { return queued_ < capacity_; }
  Word queue_load(unsigned word, unsigned at) const { return queue_[at * words_ + word]; }
  void queue_store(unsigned word, unsigned at, Word value) { queue_[at * words_ + word] = value; }
  Word* place(unsigned at) { return queue_.data() + at * words_; }

  template <class Last>
  void barrier(Search* search, const Last& last) const {
    std::atomic_ref arrived(search->arrived), generation(search->generation);
    const std::uint32_t before = generation.load();
    if (failed_->load()) throw OtherFailed();
    if (arrived.fetch_add(1) + 1 == threads_) {
      last();
      arrived.store(0);
      generation.fetch_add(1);
      generation.notify_all();
    } else {
      generation.wait(before);
      if (failed_->load()) throw OtherFailed();
    }
  }
  /// This thread cannot go on: those that wait for it, or will, need not.
  void fail(Search* search) const {
    failed_->store(true);
    std::atomic_ref generation(search->generation);
    generation.fetch_add(1);
    generation.notify_all();
  }

 private:
  unsigned words_, threads_;
  std::uint32_t capacity_;
  std::uint32_t queued_ = 0;
  std::atomic<bool>* failed_;
  std::vector<Word> queue_;
};

/// A thread's own machine and predicates.
class CpuModel {
 public:
  explicit CpuModel(const ModelCode& code)
      : code_(code),
        machine_(Program::compile(code.system(), code.errors())),
        state_(code.layout().size()),
        enabled_(code.system().actions.size()) {
    if (code.sweeps()) measure_ = code.measure();
    for (const Watch& watch : code.watches().states)
      states_.emplace_back(code.system(), code.layout(), watch.expr);
    for (const Watch& watch : code.watches().deadlocks)
      deadlocks_.emplace_back(code.system(), code.layout(), watch.expr);
  }

  void begin(CpuLanes& lanes) { lanes_ = &lanes; }

  struct Steps {
    std::uint32_t emitted = 0;
    bool gave_up = false, missed = false;
  };

  void load(const Word* state) { code_.dense().unpack(state, state_.data()); }
  Steps step(std::uint32_t) {
    Steps steps;
    machine_.successors(state_.data(), [&](const Step& step) {
      if (step.error != ModelErrorKind::none || step.state == nullptr) steps.gave_up = true;
      if (steps.gave_up || steps.missed) return;
      if (!lanes_->has_room()) {
        steps.missed = true;
        return;
      }
      enabled_[step.action] = 1;
      ++steps.emitted;
      code_.dense().pack(step.state, lanes_->place(lanes_->reserve()));
    });
    if (steps.gave_up) steps.missed = false;
    return steps;
  }
  bool watches(Search* search, unsigned at) {
    if (states_.empty()) return false;
    unpack_queued(at);
    return tells(search, states_, code_.watches().states, watched_.data());
  }
  bool watches_deadlock(Search* search) {
    return tells(search, deadlocks_, code_.watches().deadlocks, state_.data());
  }
  std::uint64_t progress(unsigned at) {
    unpack_queued(at);
    return measure_(watched_.data());
  }
  void tell_enabled(Search* search) {
    for (std::size_t action = 0; action < enabled_.size(); ++action)
      if (enabled_[action] != 0) CpuLanes::write(&search->enabled[action], std::uint8_t{1});
  }

 private:
  void unpack_queued(unsigned at) {
    watched_.resize(state_.size());
    code_.dense().unpack(lanes_->place(at), watched_.data());
  }

  static bool tells(Search* search, const std::vector<Predicate>& predicates,
                    const std::vector<Watch>& watches, const std::byte* state) {
    bool result = false;
    for (std::size_t i = 0; i < predicates.size(); ++i) {
      ModelErrorKind error = ModelErrorKind::none;
      const bool truth = predicates[i].evaluate(state, error) != 0;
      const std::int32_t fact = truth ? watches[i].if_true : watches[i].if_false;
      if (error != ModelErrorKind::none)
        result = true;
      else if (fact >= 0 && CpuLanes::read(&search->known[fact]) == 0)
        result |= std::atomic_ref(search->known[fact]).exchange(1) == 0;
    }
    return result;
  }

  const ModelCode& code_;
  CpuLanes* lanes_ = nullptr;
  Machine machine_;
  Measure measure_;
  std::vector<Predicate> states_, deadlocks_;
  std::vector<std::byte> state_, watched_;
  std::vector<std::uint8_t> enabled_;
};

class CpuDevice final : public Device {
 public:
  CpuDevice(const ModelCode& code, unsigned threads)
      : words_(code.dense().words()), sweeps_(code.sweeps()), most_(code.steps().emit_count) {
    for (unsigned i = 0; i < threads; ++i) models_.emplace_back(code);
  }

  std::string name() const override {
    return models_.size() == 1 ? "1 thread of the processor"
                               : fmt::format("{} threads of the processor", models_.size());
  }
  std::uint64_t free_bytes() const override { return available_bytes().value_or(std::uint64_t{1} << 32); }
  unsigned available() const override { return 1; }
  std::uint64_t ticks_per_second() const override {
    return std::chrono::steady_clock::period::den / std::chrono::steady_clock::period::num;
  }
  std::uint64_t warps() const override { return models_.size(); }
  unsigned lanes() const override { return CpuLanes::count; }
  std::uint32_t queue_capacity() const override { return static_cast<std::uint32_t>(most_ + 1); }
  std::vector<std::uint32_t> part_emits() const override { return {static_cast<std::uint32_t>(most_)}; }

  void* allocate(std::uint64_t bytes) override { return std::malloc(bytes); }
  void release(void* memory) override { std::free(memory); }
  void upload(void* to, const void* from, std::uint64_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::uint64_t bytes) override { std::memcpy(to, from, bytes); }
  void copy(void* to, const void* from, std::uint64_t bytes) override { std::memmove(to, from, bytes); }
  void clear(void* memory, std::uint64_t bytes) override { std::memset(memory, 0, bytes); }
  void copy_from(const Device&, void* to, const void* from, std::uint64_t bytes) override {
    std::memcpy(to, from, bytes);
  }

  void launch(Search* search) override {
    launch_with(search, std::make_index_sequence<std::size(kernel_words)>{});
  }

 private:
  template <std::size_t... i>
  void launch_with(Search* search, std::index_sequence<i...>) {
    const auto launch_words = [&]<unsigned words>() {
      sweeps_ ? launch_kernel<words, true>(search) : launch_kernel<words, false>(search);
    };
    ((kernel_words[i] == words_ ? launch_words.template operator()<kernel_words[i]>() : void()), ...);
  }
  template <unsigned words, bool sweeps>
  void launch_kernel(Search* search) {
    const auto threads = static_cast<unsigned>(models_.size());
    std::atomic<bool> failed = false;
    std::mutex mutex;
    std::exception_ptr failure;
    std::vector<CpuLanes> lanes;
    for (unsigned t = 0; t < threads; ++t) lanes.emplace_back(search, words, threads, failed);
    const auto fail = [&](unsigned t) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      lanes[t].fail(search);
    };
    const auto work = [&](unsigned t) {
      try {
        models_[t].begin(lanes[t]);
        Kernel<words, CpuLanes, CpuModel, sweeps>(search, lanes[t], models_[t]).run();
      } catch (const OtherFailed&) {
      } catch (...) {
        fail(t);
      }
    };
    {
      std::vector<std::jthread> others;
      try {
        for (unsigned t = 1; t < threads; ++t) others.emplace_back([&, t] { work(t); });
        work(0);
      } catch (const std::system_error&) {
        const std::scoped_lock lock(mutex);
        failure = std::make_exception_ptr(LimitReached("there are not so many threads to be had"));
        lanes[0].fail(search);
      } catch (const std::bad_alloc&) {
        fail(0);
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

  unsigned words_;
  bool sweeps_;
  std::size_t most_;
  std::vector<CpuModel> models_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(const ModelCode& code, unsigned threads) {
  return std::make_unique<CpuDevice>(code, threads);
}

}  // namespace tideline::gpu
