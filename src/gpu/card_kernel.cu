// The kernel for a card. clang compiles this file to PTX when Tideline is built; no CUDA toolkit is needed.
//
// Lines that begin with @@ are not PTX: model_code.cpp puts the code of a model in their places before the driver
// gets the text. WORDS is how many words a state has, SWEEPS whether the kernel is that of a sweep.
#pragma clang force_cuda_host_device begin

#include "gpu/kernel.hpp"

namespace tideline::gpu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

u32 thread_in_block() {
  u32 value;
  asm("mov.u32 %0, %%tid.x;" : "=r"(value));
  return value;
}
u32 block_size() {
  u32 value;
  asm("mov.u32 %0, %%ntid.x;" : "=r"(value));
  return value;
}
u32 block_count() {
  u32 value;
  asm("mov.u32 %0, %%nctaid.x;" : "=r"(value));
  return value;
}
u32 shared_begin() {
  u32 value;
  asm volatile("mov.u32 %0, tideline_shared;" : "=r"(value));
  return value;
}
void block_barrier() {
  asm volatile("bar.sync 0;" ::: "memory");
}
void fence() {
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

class CardLanes {
 public:
  static constexpr unsigned count = 32;

  explicit CardLanes(const Search* search)
      : lane_(thread_in_block() % count), queue_capacity_(search->queue_capacity) {
    const u32 bytes = 16 + WORDS * 8 * queue_capacity_;
    queue_ = shared_begin() + search->flags_in_shared + thread_in_block() / count * bytes;
    if (lane_ == 0) set_count(0);
    sync();
  }

  unsigned lane() const { return lane_; }
  u32 queue() const { return queue_; }

  void sync() const { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
  static u32 ballot(bool truth) {
    u32 mask;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                 : "=r"(mask)
                 : "r"(u32{truth})
                 : "memory");
    return mask;
  }
  bool any(bool truth) const { return ballot(truth) != 0; }
  /// How many lanes before this one say so.
  unsigned rank(bool truth) const { return ones(ballot(truth) & before()); }
  u64 from_first(u64 value) const { return from(value, 0); }

  // --- memory

  static u64 read(const u64* at) {
    u64 value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
  }
  static u32 read(const u32* at) {
    u32 value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
  }
  static Stop read(const Stop* at) { return static_cast<Stop>(read(reinterpret_cast<const u32*>(at))); }
  static void write(u64* at, u64 value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
  }
  static void write(u32* at, u32 value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
  }
  static void write(Stop* at, Stop value) { write(reinterpret_cast<u32*>(at), static_cast<u32>(value)); }
  /// To a value, unless it is there or beyond. It mostly is.
  static void lower(u64* at, u64 value) {
    if (value < read(at)) asm volatile("red.relaxed.gpu.global.min.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
  }
  static void raise(u64* at, u64 value) {
    if (value > read(at)) asm volatile("red.relaxed.gpu.global.max.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
  }
  static u64 fetch_add(u64* at, u64 value) {
    u64 before;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(at), "l"(value)
                 : "memory");
    return before;
  }
  static u32 fetch_add(u32* at, u32 value) {
    u32 before;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(at), "r"(value)
                 : "memory");
    return before;
  }
  /// Puts a word where there is a 0; what was there.
  static Word claim(Word* at, Word word) {
    Word there;
    asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], 0, %2;"
                 : "=l"(there)
                 : "l"(at), "l"(word)
                 : "memory");
    return there;
  }
  /// What is there, or was a moment ago.
  template <unsigned n>
  static void read_words(const Word* from, Word* to) {
    if constexpr (n % 2 == 0) {
      for (unsigned i = 0; i < n; i += 2)
        asm volatile("ld.global.cg.v2.u64 {%0, %1}, [%2];" : "=l"(to[i]), "=l"(to[i + 1]) : "l"(from + i));
    } else {
      for (unsigned i = 0; i < n; ++i)
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(to[i]) : "l"(from + i));
    }
  }
  static u64 high_product(u64 a, u64 b) {
    u64 product;
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(product) : "l"(a), "l"(b));
    return product;
  }
  static u64 ticks() {
    u64 value;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(value));
    return value;
  }

  /// The sum over all lanes.
  void add(u64* to, u64 value) const {
    for (u32 distance = 16; distance != 0; distance /= 2) value += from(value, lane_ ^ distance);
    if (lane_ == 0 && value != 0) fetch_add(to, value);
  }
  /// A number for every lane that wants one, all from one counter.
  u64 numbers(u64* counter, bool wants) const {
    const u32 mask = ballot(wants);
    const u32 first = lowest(mask);
    u64 base = 0;
    if (lane_ == first) base = fetch_add(counter, ones(mask));
    return from(base, first) + ones(mask & before());
  }

  // --- the queue of the warp: how many states it holds, and from the 16th byte on their words

  unsigned queued() const {
    u32 value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(queue_) : "memory");
    return value < queue_capacity_ ? value : queue_capacity_;
  }
  void set_queued(unsigned value) const {
    sync();
    if (lane_ == 0) set_count(value);
    sync();
  }
  unsigned reserve() const {
    u32 at;
    asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(at) : "r"(queue_) : "memory");
    return at;
  }
  u32 place(unsigned word, unsigned at) const { return queue_ + 16 + (word * queue_capacity_ + at) * 8; }
  Word queue_load(unsigned word, unsigned at) const {
    Word value;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(value) : "r"(place(word, at)) : "memory");
    return value;
  }
  void queue_store(unsigned word, unsigned at, Word value) const {
    asm volatile("st.shared.u64 [%0], %1;" ::"r"(place(word, at)), "l"(value) : "memory");
  }

  /// All threads of all blocks wait for each other; the last one does something before they go on.
  template <class Last>
  void barrier(Search* search, const Last& last) const {
    block_barrier();
    if (thread_in_block() == 0) {
      fence();
      const u32 generation = read(&search->generation);
      if (fetch_add(&search->arrived, 1) + 1 == block_count()) {
        fence();
        last();
        search->arrived = 0;
        fence();
        fetch_add(&search->generation, 1);
      } else {
        while (read(&search->generation) == generation) asm volatile("nanosleep.u32 100;");
      }
      fence();
    }
    block_barrier();
  }

 private:
  void set_count(u32 value) const {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(queue_), "r"(value) : "memory");
  }
  static u32 ones(u32 mask) {
    u32 value;
    asm("popc.b32 %0, %1;" : "=r"(value) : "r"(mask));
    return value;
  }
  static u32 lowest(u32 mask) {
    u32 value;
    asm("{ .reg .b32 t; brev.b32 t, %1; clz.b32 %0, t; }" : "=r"(value) : "r"(mask));
    return value;
  }
  static u32 before() {
    u32 value;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(value));
    return value;
  }
  static u64 from(u64 value, u32 lane) {
    u32 low = static_cast<u32>(value), high = static_cast<u32>(value >> 32);
    asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, 0xffffffff;" : "+r"(low) : "r"(lane) : "memory");
    asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, 0xffffffff;" : "+r"(high) : "r"(lane) : "memory");
    return u64{high} << 32 | low;
  }

  u32 lane_, queue_capacity_, queue_ = 0;
};

class CardModel {
 public:
  CardModel(const Search* search, const CardLanes& lanes) : lanes_(lanes) {
    for (u32 at = 4 * thread_in_block(); at < search->flags_in_shared; at += 4 * block_size())
      asm volatile("st.shared.u32 [%0], 0;" ::"r"(shared_begin() + at) : "memory");
    block_barrier();
  }

  struct Steps {
    u32 emitted, gave_up, missed;
  };

  /// The state that step() and watches_deadlock() are about.
  void load(const Word* state) const { asm volatile("@@load %0;" ::"l"(state) : "memory"); }
  Steps step(u32 part) const {
    Steps steps;
    asm volatile("@@step %0, %1, %2, %3, %4;"
                 : "=r"(steps.emitted), "=r"(steps.gave_up), "=r"(steps.missed)
                 : "r"(part), "r"(lanes_.queue())
                 : "memory");
    return steps;
  }
  bool watches(const Search* search, unsigned at) const {
    u32 tells;
    asm volatile("@@watch %0, %1, %2;"
                 : "=r"(tells)
                 : "l"(search->known), "r"(lanes_.place(0, at))
                 : "memory");
    return tells != 0;
  }
  bool watches_deadlock(const Search* search) const {
    u32 tells;
    asm volatile("@@deadlock %0, %1;" : "=r"(tells) : "l"(search->known) : "memory");
    return tells != 0;
  }
  u64 progress(unsigned at) const {
    u64 value;
    asm volatile("@@progress %0, %1;" : "=l"(value) : "r"(lanes_.place(0, at)) : "memory");
    return value;
  }
  void tell_enabled(Search* search) const {
    block_barrier();
    for (u32 action = thread_in_block(); action < search->actions; action += block_size()) {
      u32 flag = 0;
      if (search->flags_in_shared != 0)
        asm volatile("ld.shared.u8 %0, [%1];" : "=r"(flag) : "r"(shared_begin() + action) : "memory");
      if (flag != 0) search->enabled[action] = 1;
    }
  }

 private:
  const CardLanes& lanes_;
};

}  // namespace
}  // namespace tideline::gpu

extern "C" __attribute__((global)) void tideline_search(tideline::gpu::Search* search) {
  using namespace tideline::gpu;
  CardLanes lanes(search);
  CardModel model(search, lanes);
  Kernel<WORDS, CardLanes, CardModel, SWEEPS>(search, lanes, model).run();
}

#pragma clang force_cuda_host_device end
