// TreeTable: one set of states shared by many threads, with the parts that states have in common kept once.
//
//   A. Laarman, J. van de Pol, M. Weber: Parallel Recursive State Compression for Free, 2011.
//
// A state is cut into units of 4 bytes, which are the leaves of a binary tree (tree_shape.hpp). What the units
// of a node are is a part of the state: a pair of the two parts below it, which has a number. What is kept of
// a state is the pair at the root. States have most of their parts in common, so there are few parts, their
// numbers are short, and a state costs 4 to 6 bytes (pair_records.hpp) and its place in the index, however wide
// it is. All tables are ConcurrentTables: one for states, one for the parts on either side of the root, whose
// numbers are in the pairs of states, and one for all parts below.
//
// To fold a state from scratch takes a lookup for every node. But a thread reads a state and then folds its
// successors, which differ from it in a unit or two: the access remembers all numbers of the state that it has
// read last, and looks up only the nodes above a change. Reading works in the same way, from the root
// down to the parts that are not those of the state read before.
//
// hash() does the folding: the "hash" of a state is its pair, from which the tables compute their own. So
// a state that is looked up leaves its parts behind, whether it is there or not.
//
// Use it for states of many bytes. For short ones the plain tables are as small, and faster.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "store/concurrent_table.hpp"
#include "store/pair_records.hpp"
#include "store/state_table.hpp"
#include "store/tree_shape.hpp"

namespace tideline {

template <class Hash = PairHash>
class TreeTable {
 public:
  struct Options {
    unsigned workers = 1;
    std::size_t extra_bytes = 0;
    std::uint64_t states = no_state;  ///< the table gives out no number from here on
    unsigned segment_bits = 12;
    /// So many numbers more than now are expected before 2^16 more states are there, beside one for each.
    std::uint64_t room = 1024;
    StateSample sample = {};  ///< states to find the shape of the tree by
  };

  class Access;
  class Reader;

  TreeTable(std::size_t state_bytes, Options options)
      : shape_(state_bytes, options.sample),
        left_half_(shape_.children(0).left),
        right_half_(shape_.children(0).right),
        presences_(std::make_shared<std::vector<Presence>>(options.workers)),
        states_(0, {options.workers, options.extra_bytes, options.states, options.segment_bits, presences_}),
        left_(0, part_options(options)),
        right_(0, part_options(options)),
        below_(0, part_options(options)) {
    const std::uint64_t room =
        (std::uint64_t{1} << PairRecords<Hash>::page_bits) + options.room * options.workers;
    states_.records().set_bounds([this, room] {
      const auto bound = [&](TreeShape::Slot half, const Parts& parts) {
        return shape_.is_node(half) ? parts.number_bound() + room : no_state;
      };
      return typename PairRecords<Hash>::Bounds{bound(left_half_, left_), bound(right_half_, right_)};
    });
    for (unsigned worker = 0; worker < options.workers; ++worker)
      accesses_.push_back(std::make_unique<Access>(*this, worker));
  }

  /// The way in for one thread.
  Access& access(unsigned worker) { return *accesses_[worker]; }
  /// For reading at any time, by one thread.
  Reader reader() const { return Reader(*this); }

  /// The search's own bytes of a state.
  std::byte* extra(StateId id) const { return states_.extra(id); }
  std::uint64_t size() const { return states_.size(); }
  std::uint64_t number_bound() const { return states_.number_bound(); }
  std::vector<StateRange> ranges() const { return states_.ranges(); }
  /// Parts of states.
  std::uint64_t parts() const { return left_.size() + right_.size() + below_.size(); }
  std::uint64_t memory_bytes() const {
    return states_.memory_bytes() + left_.memory_bytes() + right_.memory_bytes() + below_.memory_bytes();
  }
  /// For tests.
  std::size_t kept_apart() const { return states_.records().apart(); }

 private:
  using States = ConcurrentTable<PairRecords<Hash>>;
  using Parts = ConcurrentTable<PartRecords<Hash>>;

  static constexpr unsigned part_segment_bits = 6;

  typename Parts::Options part_options(const Options& options) const {
    return {.workers = options.workers,
            .segment_bits = std::min(part_segment_bits, options.segment_bits),
            .presences = presences_};
  }
  const Parts& parts_of(TreeShape::Slot node) const {
    return node == left_half_ ? left_ : node == right_half_ ? right_ : below_;
  }

  TreeShape shape_;
  TreeShape::Slot left_half_, right_half_;
  Presences presences_;
  States states_;
  Parts left_, right_, below_;
  std::vector<std::unique_ptr<Access>> accesses_;
};

/// Unpacks states: one after the other, for one thread.
template <class Hash>
class TreeTable<Hash>::Reader {
 public:
  explicit Reader(const TreeTable& table)
      : table_(&table), numbers_(table.shape_.slots(), no_state), stale_(table.shape_.masks()) {}

  /// The bytes stay until the next call.
  const std::byte* state(StateId id) {
    const Pair root = table_->states_.state(id);
    renew(table_->left_half_, left_of(root));
    renew(table_->right_half_, right_of(root));
    for (std::size_t mask = 0; mask < stale_.size(); ++mask)
      while (stale_[mask] != 0) {
        const auto node = static_cast<TreeShape::Slot>(mask * 64 + std::countr_zero(stale_[mask]));
        stale_[mask] &= stale_[mask] - 1;
        const Pair part = table_->parts_of(node).state(numbers_[node]);
        const auto [left, right] = table_->shape_.children(node);
        renew(left, left_of(part));
        renew(right, right_of(part));
      }
    return reinterpret_cast<const std::byte*>(numbers_.data() + table_->shape_.nodes());
  }

 private:
  friend class Access;

  void renew(TreeShape::Slot slot, StateId number) {
    if (numbers_[slot] == number) return;
    numbers_[slot] = number;
    if (table_->shape_.is_node(slot)) stale_[slot / 64] |= std::uint64_t{1} << slot % 64;
  }

  const TreeTable* table_;
  std::vector<StateId> numbers_;      // of the state read last, by slot: of parts, and what its units are
  std::vector<std::uint64_t> stale_;  // nodes whose number is new, and the slots below them not yet
};

/// One thread's way into the table: a StateTable, except that numbers come in blocks.
template <class Hash>
class TreeTable<Hash>::Access {
 public:
  Access(TreeTable& table, unsigned worker)
      : table_(table),
        states_(table.states_.access(worker)),
        left_(table.left_.access(worker)),
        right_(table.right_.access(worker)),
        below_(table.below_.access(worker)),
        reader_(table),
        numbers_(table.shape_.slots()),
        changed_(table.shape_.masks()) {}

  Presence& presence() { return states_.presence(); }

  /// The bytes stay until the next call. What is hashed from now on is expected to resemble this state; before
  /// the first call, the state hashed before it.
  const std::byte* state(StateId id) {
    const std::byte* const state = reader_.state(id);
    numbers_ = reader_.numbers_;
    reads_ = folded_ = true;
    return state;
  }

  /// The numbers of the two halves; parts that are new get theirs. When there are no more numbers, those of no
  /// state.
  Pair hash(const std::byte* state) {
    if (!folded_) [[unlikely]]
      forget();
    find_changes(state);
    const Pair pair = fold();
    if (reads_) {
      for (const TreeShape::Slot slot : written_) numbers_[slot] = reader_.numbers_[slot];
      folded_ = true;
    }
    written_.clear();
    return pair;
  }

  Insertion insert(const std::byte*, Pair pair) {
    if (pair == no_pair) [[unlikely]]
      return {no_state, false};
    return states_.insert(pair, Hash{}(pair));
  }
  StateId find(const std::byte*, Pair pair) { return states_.find(pair, Hash{}(pair)); }
  bool must_wait(Pair pair) const { return states_.must_wait(Hash{}(pair)); }
  void prefetch_index(Pair pair) const { states_.prefetch_index(Hash{}(pair)); }
  void prefetch_state(Pair pair) { states_.prefetch_state(Hash{}(pair)); }

  std::uint64_t size() const { return table_.size(); }
  std::uint64_t memory_bytes() const { return table_.memory_bytes(); }

 private:
  static constexpr Pair no_pair = ~Pair{0};

  /// Nothing is known of any part.
  void forget() {
    if (reads_) numbers_ = reader_.numbers_;
    written_.clear();
    for (std::size_t unit = 0; unit < table_.shape_.units(); ++unit) mark(unit);
  }

  void mark(std::size_t unit) {
    const std::uint64_t* const path = table_.shape_.path(unit);
    for (std::size_t mask = 0; mask < changed_.size(); ++mask) changed_[mask] |= path[mask];
  }

  /// Two units at a time.
  void find_changes(const std::byte* state) {
    const std::size_t nodes = table_.shape_.nodes(), bytes = table_.shape_.state_bytes();
    StateId* const units = numbers_.data() + nodes;
    for (std::size_t at = 0; at < bytes; at += sizeof(Pair)) {
      Pair now = 0, before;
      std::memcpy(&now, state + at, at + sizeof now <= bytes ? sizeof now : bytes - at);
      const std::size_t unit = at / sizeof(StateId);
      std::memcpy(&before, units + unit, sizeof before);
      if (now == before) continue;
      for (const std::size_t one : {std::size_t{0}, std::size_t{1}}) {
        const StateId value = one == 0 ? left_of(now) : right_of(now);
        if (units[unit + one] == value) continue;
        units[unit + one] = value;
        written_.push_back(static_cast<TreeShape::Slot>(nodes + unit + one));
        mark(unit + one);
      }
    }
  }

  /// Looks up the changed parts, from the leaves up.
  Pair fold() {
    const Presence::Stay stay(presence());
    folded_ = false;  // if this fails
    bool full = false;
    for (std::size_t mask = changed_.size(); mask-- > 0;)
      while (changed_[mask] != 0) {
        const auto bit = static_cast<unsigned>(std::bit_width(changed_[mask]) - 1);
        changed_[mask] ^= std::uint64_t{1} << bit;
        const auto node = static_cast<TreeShape::Slot>(mask * 64 + bit);
        const auto [left, right] = table_.shape_.children(node);
        const Pair part = pair_of(numbers_[left], numbers_[right]);
        numbers_[node] = parts_of(node).insert(part, Hash{}(part)).id;
        written_.push_back(node);
        full |= numbers_[node] == no_state;
      }
    folded_ = !full;
    return full ? no_pair : pair_of(numbers_[table_.left_half_], numbers_[table_.right_half_]);
  }
  typename Parts::Access& parts_of(TreeShape::Slot node) {
    return node == table_.left_half_ ? left_ : node == table_.right_half_ ? right_ : below_;
  }

  TreeTable& table_;
  typename States::Access& states_;
  typename Parts::Access &left_, &right_, &below_;
  Reader reader_;
  bool reads_ = false;                    // state() has been called
  bool folded_ = false;                   // all numbers belong together
  std::vector<StateId> numbers_;          // of the state read last, or hashed last, by slot
  std::vector<std::uint64_t> changed_;    // nodes to look up
  std::vector<TreeShape::Slot> written_;  // slots that are not those of the state read last
};

/// The StateTable of one thread that has a tree for itself: its numbers have no gaps.
class SoloTree {
 public:
  static constexpr bool hash_folds = true;  ///< hash() does most of the work of insert()

  explicit SoloTree(std::size_t state_bytes, TreeTable<>::Options options = {.segment_bits = 8})
      : tree_(std::make_unique<TreeTable<>>(state_bytes, std::move(options))) {}

  Insertion insert(const std::byte* state, Pair pair) { return access().insert(state, pair); }
  StateId find(const std::byte* state, Pair pair) { return access().find(state, pair); }
  const std::byte* state(StateId id) { return access().state(id); }
  TreeTable<>::Reader reader() const { return tree_->reader(); }
  std::uint64_t size() const { return tree_->size(); }
  Pair hash(const std::byte* state) { return access().hash(state); }
  void prefetch_index(Pair pair) { access().prefetch_index(pair); }
  void prefetch_state(Pair pair) { access().prefetch_state(pair); }
  std::uint64_t memory_bytes() const { return tree_->memory_bytes(); }
  std::uint64_t parts() const { return tree_->parts(); }

 private:
  TreeTable<>::Access& access() { return tree_->access(0); }

  std::unique_ptr<TreeTable<>> tree_;
};

static_assert(StateTable<SoloTree>);

}  // namespace tideline
