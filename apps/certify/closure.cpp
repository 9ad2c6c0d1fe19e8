#include "closure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tideline::certify {

namespace {

using certificate::Rank;

/// States that are demanded.
class Demands {
 public:
  /// `most`: it never needs room for more.
  Demands(std::size_t state_bytes, std::uint64_t memory_bytes, std::uint64_t most)
      : state_bytes_(state_bytes), record_bytes_(state_bytes + sizeof(Rank)) {
    const std::uint64_t bytes_each = record_bytes_ + 2 * sizeof(Slot) + sizeof(Entry);
    room_ =
        std::clamp<std::uint64_t>(std::min(memory_bytes / bytes_each, most), 1000, std::uint64_t{1} << 31);
    slots_.resize(std::bit_ceil(room_ + room_ / 2));
    records_.reserve(room_ * record_bytes_);
    waiting_.resize(most_waiting * record_bytes_);
  }

  bool full() const { return size_ + waiting() >= room_; }

  /// What is demanded waits until the memory that it needs has been fetched.
  void add(const std::byte* state, Rank most) {
    std::byte* const record = waiting_.data() + waiting() * record_bytes_;
    std::memcpy(record, state, state_bytes_);
    std::memcpy(record + state_bytes_, &most, sizeof most);
    hashes_.push_back(XXH3_64bits(state, state_bytes_));
    __builtin_prefetch(&slots_[hashes_.back() & (slots_.size() - 1)]);
    if (waiting() == most_waiting) insert_waiting();
  }

  Rank most_of(const std::byte* record) const {
    Rank most = 0;
    std::memcpy(&most, record + state_bytes_, sizeof most);
    return most;
  }

  /// Calls use(record) for all, ascending; use returns whether to go on. Forgets them.
  template <class Use>
  void take_sorted(const Use& use) {
    insert_waiting();
    std::vector<Entry> entries(size_);
    const std::size_t same = same_bytes();
    for (std::size_t i = 0; i < size_; ++i) {
      const std::byte* const record = records_.data() + i * record_bytes_;
      std::uint64_t key = 0;
      for (std::size_t b = same; b < std::min(same + sizeof key, state_bytes_); ++b)
        key |= std::to_integer<std::uint64_t>(record[b]) << (8 * (sizeof key - 1 - (b - same)));
      entries[i] = {key, record};
    }
    std::ranges::sort(entries, [&](const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : std::memcmp(a.record, b.record, state_bytes_) < 0;
    });
    for (const Entry& entry : entries)
      if (!use(entry.record)) break;
    std::ranges::fill(slots_, Slot{});
    records_.clear();
    size_ = 0;
  }

 private:
  struct Entry {
    std::uint64_t key;
    const std::byte* record;
  };

  struct Slot {
    std::uint32_t record = 0;  ///< its number, from 1 on; 0: nothing
    std::uint32_t tag = 0;     ///< a part of the hash
  };
  static constexpr std::size_t most_waiting = 32;

  std::size_t waiting() const { return hashes_.size(); }
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  void insert_waiting() {
    const std::size_t mask = slots_.size() - 1;
    for (const std::uint64_t hash : hashes_)
      if (const Slot& slot = slots_[hash & mask]; slot.record != 0 && slot.tag == tag_of(hash))
        __builtin_prefetch(record_of(slot));
    for (std::size_t i = 0; i < waiting(); ++i) insert(waiting_.data() + i * record_bytes_, hashes_[i]);
    hashes_.clear();
  }

  void insert(const std::byte* wanted, std::uint64_t hash) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at].record != 0; at = (at + 1) & mask) {
      if (slots_[at].tag != tag_of(hash)) continue;
      std::byte* const record = record_of(slots_[at]);
      if (std::memcmp(record, wanted, state_bytes_) != 0) continue;
      if (most_of(wanted) < most_of(record)) std::memcpy(record, wanted, record_bytes_);
      return;
    }
    slots_[at] = {static_cast<std::uint32_t>(++size_), tag_of(hash)};
    records_.insert(records_.end(), wanted, wanted + record_bytes_);
  }

  std::byte* record_of(const Slot& slot) { return records_.data() + (slot.record - 1) * record_bytes_; }

  /// How many of the first bytes are the same in all states.
  std::size_t same_bytes() const {
    std::size_t same = state_bytes_;
    for (std::size_t i = 1; i < size_; ++i)
      for (std::size_t b = 0; b < same; ++b)
        if (records_[i * record_bytes_ + b] != records_[b]) same = b;
    return same;
  }

  std::size_t state_bytes_, record_bytes_;
  std::uint64_t room_ = 0, size_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::byte> records_;
  std::vector<std::byte> waiting_;     // records to be inserted
  std::vector<std::uint64_t> hashes_;  // of these
};

/// What is wrong.
struct Fault {
  std::uint64_t state = 0;  ///< its number
  std::string text;
};

/// A state that is demanded and not there, or not with such a rank.
struct Missing {
  std::vector<std::byte> state;
  std::optional<Rank> rank;  ///< the one it has
};

class Closure {
 public:
  Closure(const CertificateReader& reader, const Section& section, const System& system,
          const ClaimMaker& make_claim, const ClosureOptions& options)
      : reader_(reader), section_(section), system_(system), make_claim_(make_claim), options_(options) {}

  ClosureFigures run() {
    if (section_.blocks.empty()) throw Refused("it has no states");
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 1; i < options_.threads; ++i) threads.emplace_back([this] { work(false); });
      work(true);
    }
    if (failure_) std::rethrow_exception(failure_);
    if (fault_) refuse(*fault_);
    if (missing_) explain(*missing_);
    return {section_.states, steps_, comparisons_};
  }

 private:
  /// `first`: this thread also demands the initial states.
  void work(bool first) {
    try {
      const auto claim = make_claim_();
      Demands demands(section_.state_bytes, options_.memory_bytes / options_.threads, section_.states + 1);
      std::uint64_t steps = 0;
      const Claim::Demand demand = [&](ActionId, const std::byte* state, Rank most) {
        ++steps;
        if (demands.full()) compare(demands);
        demands.add(state, most);
      };
      if (first) claim->initial(demand);
      steps = 0;  // that was none
      BlockCursor cursor(reader_, section_);
      for (std::size_t block; !stop_ && (block = next_block_.fetch_add(1)) < section_.blocks.size();)
        check_block(block, cursor, *claim, demand);
      if (!stop_) compare(demands);
      steps_ += steps;
    } catch (...) {
      stop_ = true;
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void check_block(std::size_t block, BlockCursor& cursor, Claim& claim, const Claim::Demand& demand) {
    cursor.load(block);
    while (cursor.next()) try {
        claim.check(cursor, demand);
      } catch (const Wrong& wrong) {
        return note(cursor, claim, wrong.what);
      }
    if (block + 1 < section_.blocks.size() &&
        std::memcmp(cursor.state(), section_.first_of(block + 1), section_.state_bytes) >= 0)
      note(cursor, claim, "the next one is not greater");
  }

  /// Blocks are taken in their order and each is checked to the end: so the first fault of all is found.
  void note(const BlockCursor& at, const Claim& claim, const std::string& what) {
    stop_ = true;
    const std::lock_guard lock(mutex_);
    if (fault_ && fault_->state < at.number()) return;
    fault_ = {at.number(), fmt::format("{} ({})", what, claim.show(at.state()))};
  }

  /// What is demanded with the section.
  void compare(Demands& demands) {
    ++comparisons_;
    BlockCursor cursor(reader_, section_);
    bool at_state = false;  // the cursor is at one that is not less than those before
    demands.take_sorted([&](const std::byte* wanted) {
      if (!seek(wanted, cursor, at_state)) {
        miss(wanted, std::nullopt);
      } else if (section_.extra_bytes != 0 && cursor.extra(0) > demands.most_of(wanted)) {
        miss(wanted, cursor.extra(0));
      }
      return !stop_;
    });
  }

  bool seek(const std::byte* wanted, BlockCursor& cursor, bool& at_state) const {
    const std::size_t bytes = section_.state_bytes;
    std::size_t low = at_state ? cursor.block() : 0, high = section_.blocks.size();
    if (std::memcmp(section_.first_of(low), wanted, bytes) > 0) return false;
    // Most often it is in the same block, or in the next one.
    for (std::size_t width = 1; low + width < high; width *= 2)
      if (std::memcmp(section_.first_of(low + width), wanted, bytes) > 0) {
        high = low + width;
        break;
      }
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (std::memcmp(section_.first_of(middle), wanted, bytes) > 0 ? high : low) = middle;
    }
    if (!at_state || cursor.block() != low) {
      cursor.load(low);
      cursor.next();
      at_state = true;
    }
    for (;;) {
      const int order = std::memcmp(cursor.state(), wanted, bytes);
      if (order >= 0) return order == 0;
      if (!cursor.next()) return false;
    }
  }

  void miss(const std::byte* state, std::optional<Rank> rank) {
    stop_ = true;
    const std::lock_guard lock(mutex_);
    if (!missing_) missing_ = {{state, state + section_.state_bytes}, rank};
  }

  [[noreturn]] static void refuse(const Fault& fault) {
    throw Refused(fmt::format("state {} of the certificate: {}", fault.state, fault.text));
  }

  /// Looks for the state that demands it, as only few runs need to know.
  [[noreturn]] void explain(const Missing& missing) {
    const auto claim = make_claim_();
    const std::string shown = claim->show(missing.state.data());
    std::optional<Fault> fault;
    std::uint64_t number = 0;
    const BlockCursor* at = nullptr;
    const Claim::Demand demand = [&](ActionId action, const std::byte* state, Rank most) {
      if (fault || std::memcmp(state, missing.state.data(), missing.state.size()) != 0) return;
      if (missing.rank && *missing.rank <= most) return;
      const std::string step = action == no_action
                                   ? "the system stays where it is, and the automaton leads"
                                   : fmt::format("action '{}' leads", system_.actions[action].label);
      const std::string what = missing.rank
                                   ? fmt::format("whose rank is {}, which is too large", *missing.rank)
                                   : "which is not in the certificate";
      fault = {number, at == nullptr ? fmt::format("the initial state ({}), {}", shown, what)
                                     : fmt::format("{} ({}) to one ({}), {}", step, claim->show(at->state()),
                                                   shown, what)};
    };
    claim->initial(demand);
    if (fault) throw Refused(fault->text);
    BlockCursor cursor(reader_, section_);
    at = &cursor;
    for (std::size_t block = 0; block < section_.blocks.size() && !fault; ++block) {
      cursor.load(block);
      while (!fault && cursor.next()) try {
          number = cursor.number();
          claim->check(cursor, demand);
        } catch (const Wrong& wrong) {
          fault = {number, wrong.what};
        }
    }
    refuse(fault.value_or(Fault{0, "a state is missing"}));
  }

  const CertificateReader& reader_;
  const Section& section_;
  const System& system_;
  const ClaimMaker& make_claim_;
  ClosureOptions options_;
  std::atomic<std::size_t> next_block_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> steps_ = 0, comparisons_ = 0;
  std::mutex mutex_;  // of what follows
  std::optional<Fault> fault_;
  std::optional<Missing> missing_;
  std::exception_ptr failure_;
};

}  // namespace

ClosureFigures require_closed(const CertificateReader& reader, const Section& section, const System& system,
                              const ClaimMaker& make_claim, const ClosureOptions& options) {
  return Closure(reader, section, system, make_claim, options).run();
}

}  // namespace tideline::certify
