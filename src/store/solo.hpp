// Solo: a table that threads could share, for one thread that has it for itself. Its numbers have no gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "store/state_table.hpp"

namespace tideline {

template <class Shared>
class Solo {
 public:
  using Access = typename Shared::Access;
  using Hash = HashOf<Access>;

  Solo(std::size_t state_bytes, typename Shared::Options options) {
    options.segment_bits = segment_bits;
    table_ = std::make_unique<Shared>(state_bytes, std::move(options));
  }

  Insertion insert(const std::byte* state, const Hash& hash) { return access().insert(state, hash); }
  const std::byte* state(StateId id) { return access().state(id); }
  Hash hash(const std::byte* state) { return access().hash(state); }
  void prefetch_index(const Hash& hash) { access().prefetch_index(hash); }
  void prefetch_state(Hash& hash) { access().prefetch_state(hash); }
  void expect(StateId id) requires requires(Access& a) { a.expect(id); }
  { access().expect(id); }
  void drop(const StateRange& states) { table_->drop(states); }
  std::uint64_t size() const { return table_->size(); }
  std::uint64_t memory_bytes() const { return table_->memory_bytes(); }
  const Shared& table() const { return *table_; }

 private:
  static constexpr unsigned segment_bits = 8;

  Access& access() { return table_->access(0); }

  std::unique_ptr<Shared> table_;
};

}  // namespace tideline
