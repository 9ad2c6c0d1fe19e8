#include "closure.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tideline::certify {

namespace {

using certificate::Rank;

struct Unmap {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const { ::munmap(memory, bytes); }
};
using Pages = std::unique_ptr<std::byte, Unmap>;

/// Memory that is zero at first, in large pages where the system has them.
Pages pages_of(std::size_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: it may fail
  return {static_cast<std::byte*>(memory), Unmap{bytes}};
}

/// Blocks of a section from one on, as many as fit into memory, in a table. A record is a state and its ranks.
class Part {
 public:
  Part(const Section& section, std::size_t ranks, std::size_t begin, std::uint64_t memory_bytes)
      : section_(section),
        state_bytes_(section.state_bytes),
        record_bytes_(state_bytes_ + ranks * sizeof(Rank)),
        begin_(begin),
        end_(begin) {
    const auto bytes_for = [&](std::uint64_t states) {
      return states * record_bytes_ + slots_for(states) * sizeof(std::uint64_t);
    };
    std::uint64_t states = 0;
    for (; end_ < section.blocks.size(); ++end_) {
      const std::uint64_t more = states + section.blocks[end_].header.records;
      if (end_ != begin && (more > most_states || bytes_for(more) > memory_bytes)) break;
      states = more;
    }
    slot_count_ = slots_for(states);
    records_ = pages_of(states * record_bytes_ + 1);
    slots_ = pages_of(slot_count_ * sizeof(std::uint64_t));
  }

  /// The first block that is not in it.
  std::size_t end() const { return end_; }
  /// Whether the state would be in it.
  bool covers(const std::byte* state) const {
    return (begin_ == 0 || std::memcmp(state, section_.first_of(begin_), state_bytes_) >= 0) &&
           (end_ == section_.blocks.size() || std::memcmp(state, section_.first_of(end_), state_bytes_) < 0);
  }

  /// The states of a block, by any thread. They differ from all others, or the certificate is refused elsewhere.
  void add(BlockCursor& cursor) {
    std::vector<std::uint64_t> hashes;
    const std::uint64_t first = section_.blocks[cursor.block()].first - section_.blocks[begin_].first;
    while (cursor.next()) {
      std::byte* const to = records_.get() + (first + hashes.size()) * record_bytes_;
      std::memcpy(to, cursor.state(), state_bytes_);
      std::memcpy(to + state_bytes_, cursor.extras(), record_bytes_ - state_bytes_);
      hashes.push_back(hash_of(to));
    }
    constexpr std::size_t ahead = 16;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (i + ahead < hashes.size()) fetch_slot(hashes[i + ahead]);
      const std::uint64_t slot = tag_of(hashes[i]) | (first + i + 1);
      std::uint64_t none = 0;
      for (std::size_t at = first_of(hashes[i]); !slot_at(at).compare_exchange_strong(none, slot); none = 0)
        at = after(at);
    }
  }

  std::uint64_t hash_of(const std::byte* state) const { return XXH3_64bits(state, state_bytes_); }
  void fetch_slot(std::uint64_t hash) const {
    __builtin_prefetch(slots_.get() + first_of(hash) * sizeof(std::uint64_t));
  }
  void fetch_record(std::uint64_t hash) const {
    const std::uint64_t slot = slot_at(first_of(hash)).load(std::memory_order_relaxed);
    if (slot != 0 && (slot & tag_bits) == tag_of(hash))
      for (std::size_t b = 0; b < record_bytes_; b += line_bytes) __builtin_prefetch(record_of(slot) + b);
  }
  /// Its record, or nothing.
  const std::byte* find(const std::byte* state, std::uint64_t hash) const {
    for (std::size_t i = first_of(hash);; i = after(i)) {
      const std::uint64_t slot = slot_at(i).load(std::memory_order_relaxed);
      if (slot == 0) return nullptr;
      if ((slot & tag_bits) == tag_of(hash) && std::memcmp(record_of(slot), state, state_bytes_) == 0)
        return record_of(slot);
    }
  }

 private:
  // A slot: the last bits of a hash, whose first ones say where it is; and the number of a state from 1 on.
  static constexpr std::uint64_t tag_bits = ~std::uint64_t{0} << 32, most_states = std::uint64_t{1} << 31;
  static constexpr std::size_t line_bytes = 64;

  static std::uint64_t slots_for(std::uint64_t states) { return states + states / 2 + 1; }
  static std::uint64_t tag_of(std::uint64_t hash) { return hash << 32; }
  std::size_t first_of(std::uint64_t hash) const { return (hash >> 32) * slot_count_ >> 32; }
  std::size_t after(std::size_t slot) const { return slot + 1 == slot_count_ ? 0 : slot + 1; }
  std::atomic_ref<std::uint64_t> slot_at(std::size_t i) const {
    return std::atomic_ref(reinterpret_cast<std::uint64_t*>(slots_.get())[i]);
  }
  const std::byte* record_of(std::uint64_t slot) const {
    return records_.get() + ((slot & ~tag_bits) - 1) * record_bytes_;
  }

  const Section& section_;
  std::size_t state_bytes_, record_bytes_, begin_, end_;
  std::size_t slot_count_ = 0;
  Pages records_, slots_;
};

/// What is wrong.
struct Fault {
  std::int64_t state = 0;  ///< its number; -1: of none
  std::string text;
};

class Closure {
 public:
  Closure(const CertificateReader& reader, const Section& section, const System& system,
          const ClaimMaker& make_claim, const ClosureOptions& options)
      : reader_(reader), section_(section), system_(system), make_claim_(make_claim), options_(options) {}

  ClosureFigures run() {
    if (section_.blocks.empty()) throw Refused("it has no states");
    for (std::size_t begin = 0; begin < section_.blocks.size();) {
      Part part(section_, make_claim_()->ranks(), begin, options_.memory_bytes);
      next_block_ = begin;
      in_threads([&] { load(part); });
      next_block_ = steps_ = 0;
      in_threads([&] { work(part); });
      if (fault_ && fault_->state < 0) throw Refused(fault_->text);
      if (fault_) throw Refused(fmt::format("state {} of the certificate: {}", fault_->state, fault_->text));
      begin = part.end();
    }
    return {section_.states, steps_};
  }

 private:
  template <class Work>
  void in_threads(const Work& work) {
    const auto guarded = [&] {
      try {
        work();
      } catch (...) {
        stop_ = true;
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < options_.threads; ++i) threads.emplace_back(guarded);
    guarded();
    threads.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

  void load(Part& part) {
    BlockCursor cursor(reader_, section_);
    for (std::size_t block; !stop_ && (block = next_block_.fetch_add(1)) < part.end();) {
      cursor.load(block);
      part.add(cursor);
    }
  }

  struct Demanded {
    std::uint64_t hash;
    std::int64_t by;  // the number of a state; -1: it is an initial one
    ActionId action;
  };

  /// What a thread has found to be demanded waits until the memory that a look at the table needs has been fetched.
  struct Waiting {
    Waiting(std::size_t state_bytes, Claim& claim_)
        : claim(claim_), state_room(state_bytes), states(most * state_bytes), bounds(most * claim.ranks()) {}

    static constexpr std::size_t most = 32;
    Claim& claim;
    std::size_t state_room;
    std::vector<Demanded> demanded = {};
    std::vector<std::byte> states;
    std::vector<Bounds> bounds;  // of their ranks
  };

  void work(const Part& part) {
    const auto claim = make_claim_();
    const std::size_t ranks = claim->ranks();
    Waiting waiting(section_.state_bytes, *claim);
    BlockCursor cursor(reader_, section_);
    std::uint64_t steps = 0;
    std::int64_t at = -1;
    const Claim::Demand demand = [&](ActionId action, const std::byte* state,
                                     std::span<const Bounds> bounds) {
      ++steps;
      if (!part.covers(state)) return;
      const std::size_t i = waiting.demanded.size();
      std::memcpy(waiting.states.data() + i * section_.state_bytes, state, section_.state_bytes);
      std::ranges::copy(bounds, waiting.bounds.begin() + static_cast<std::ptrdiff_t>(i * ranks));
      waiting.demanded.push_back({part.hash_of(state), at, action});
      part.fetch_slot(waiting.demanded.back().hash);
      if (i + 1 == Waiting::most) look_up(waiting, part);
    };
    claim->initial(demand);
    look_up(waiting, part);
    steps = 0;  // that was none
    for (std::size_t block; !stop_ && (block = next_block_.fetch_add(1)) < section_.blocks.size();)
      check_block(block, cursor, *claim, demand, at);
    look_up(waiting, part);
    steps_ += steps;
  }

  void look_up(Waiting& waiting, const Part& part) {
    const std::size_t ranks = waiting.claim.ranks();
    for (const Demanded& each : waiting.demanded) part.fetch_record(each.hash);
    for (std::size_t i = 0; i < waiting.demanded.size(); ++i) {
      const std::byte* const wanted = waiting.states.data() + i * section_.state_bytes;
      const std::byte* const found = part.find(wanted, waiting.demanded[i].hash);
      if (found == nullptr) miss(waiting, i, "which is not in the certificate");
      for (std::size_t r = 0; found != nullptr && r < ranks; ++r) {
        Rank rank = 0;
        std::memcpy(&rank, found + section_.state_bytes + r * sizeof rank, sizeof rank);
        const Bounds& bounds = waiting.bounds[i * ranks + r];
        if (rank < bounds.least || rank > bounds.most)
          miss(
              waiting, i,
              fmt::format("whose rank is {}, which is too {}", rank, rank > bounds.most ? "large" : "small"));
      }
    }
    waiting.demanded.clear();
  }

  void miss(const Waiting& waiting, std::size_t i, const std::string& what) {
    const auto& [hash, by, action] = waiting.demanded[i];
    const std::string step = by < 0 ? "the initial state is"
                             : action == no_action
                                 ? "the system stays where it is, and the automaton leads to"
                                 : fmt::format("action '{}' leads to", system_.actions[action].label);
    note(by, fmt::format("{} ({}), {}", step,
                         waiting.claim.show(waiting.states.data() + i * section_.state_bytes), what));
  }

  void check_block(std::size_t block, BlockCursor& cursor, Claim& claim, const Claim::Demand& demand,
                   std::int64_t& at) {
    cursor.load(block);
    while (cursor.next()) try {
        at = static_cast<std::int64_t>(cursor.number());
        claim.check(cursor, demand);
      } catch (const Wrong& wrong) {
        return note(at, fmt::format("{} ({})", wrong.what, claim.show(cursor.state())));
      }
    if (block + 1 < section_.blocks.size() &&
        std::memcmp(cursor.state(), section_.first_of(block + 1), section_.state_bytes) >= 0)
      note(at, "the next one is not greater");
  }

  /// Blocks are taken in their order and each is checked to the end: so the first fault of all is found.
  void note(std::int64_t state, std::string text) {
    stop_ = true;
    const std::lock_guard lock(mutex_);
    if (!fault_ || state < fault_->state) fault_ = {state, std::move(text)};
  }

  const CertificateReader& reader_;
  const Section& section_;
  const System& system_;
  const ClaimMaker& make_claim_;
  ClosureOptions options_;
  std::atomic<std::size_t> next_block_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> steps_ = 0;
  std::mutex mutex_;  // of what follows
  std::optional<Fault> fault_;
  std::exception_ptr failure_;
};

}  // namespace

ClosureFigures require_closed(const CertificateReader& reader, const Section& section, const System& system,
                              const ClaimMaker& make_claim, const ClosureOptions& options) {
  return Closure(reader, section, system, make_claim, options).run();
}

}  // namespace tideline::certify
