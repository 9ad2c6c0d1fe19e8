#include "symbolic/diagrams/forest.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "model/error.hpp"
#include "store/checksum.hpp"

namespace tideline::symbolic {

namespace {

constexpr std::uint32_t poll_every = 4096;
constexpr std::size_t first_buckets = std::size_t{1} << 12;

std::uint64_t mix(std::uint64_t h) {
  h *= 0x9E3779B97F4A7C15u;
  return h ^ h >> 32;
}

std::uint64_t hash_words(const std::uint32_t* words, std::size_t count, std::uint64_t seed) {
  if (count > 8) return XXH3_64bits_withSeed(words, count * sizeof *words, seed);
  std::uint64_t h = seed;
  for (std::size_t i = 0; i < count; ++i) h = mix(h ^ words[i]);
  return h;
}

}  // namespace

Forest::Forest(ForestOptions options) : options_(options), buckets_(first_buckets) {
  add_chunk();
  bump_ = 2;  // 0 and 1 are not nodes
  used_units_ = 2;
  collect_at_ = options_.first_collection / unit_bytes;
  cache_limit_ = std::size_t{2} << 30;
  if (options_.budget)
    if (const auto limit = options_.budget->memory_limit()) {
      cache_limit_ = std::max<std::size_t>(*limit / 4, std::size_t{1} << 20);
      node_limit_ = *limit / 2 / unit_bytes;
    }
}

std::uint32_t Forest::data_words(const std::uint32_t* words) {
  const std::uint32_t size = words[1] >> size_shift;
  const std::uint32_t entries = size == long_size ? words[2] : size;
  return words[1] & sparse_bit ? 2 * entries : entries;
}

std::uint32_t Forest::units_of(const std::uint32_t* words) {
  const std::uint32_t extra = words[1] >> size_shift == long_size ? 3 : 2;
  return (extra + data_words(words) + 1) / 2;
}

std::uint64_t Forest::hash(std::uint32_t header, const std::uint32_t* first, std::size_t first_words,
                           const std::uint32_t* second, std::size_t second_words) {
  const std::uint64_t h = hash_words(first, first_words, mix(header));
  return second_words == 0 ? h : hash_words(second, second_words, h);
}

std::uint64_t Forest::hash_of(const std::uint32_t* words) const {
  const std::uint32_t* const data = words + (words[1] >> size_shift == long_size ? 3 : 2);
  const std::uint32_t count = data_words(words);
  if (words[1] & sparse_bit) return hash(words[1], data, count / 2, data + count / 2, count / 2);
  return hash(words[1], data, count, nullptr, 0);
}

NodeId Forest::make(std::uint32_t level, std::span<const NodeId> children) {
  std::size_t end = children.size();
  while (end != 0 && children[end - 1] == empty) --end;
  if (end == 0) return empty;
  std::size_t count = 0;
  for (std::size_t i = 0; i < end; ++i) count += children[i] != empty;
  if (end <= 2 * count)
    return find_or_add({level, static_cast<std::uint32_t>(end), false, children.first(end), {}});
  const Frames::Frame indices(plain_, count);
  const Frames::Frame compact(children_, count);
  std::size_t at = 0;
  for (std::size_t i = 0; i < end; ++i)
    if (children[i] != empty) {
      indices[at] = static_cast<Index>(i);
      compact[at++] = children[i];
    }
  return find_or_add(
      {level, static_cast<std::uint32_t>(count), true, {indices.data(), count}, {compact.data(), count}});
}

NodeId Forest::make(std::uint32_t level, std::span<const Index> indices, std::span<const NodeId> children) {
  if (indices.empty()) return empty;
  const std::size_t end = std::size_t{indices.back()} + 1;
  const auto count = static_cast<std::uint32_t>(indices.size());
  if (end > 2 * indices.size()) return find_or_add({level, count, true, indices, children});
  if (end == indices.size()) return find_or_add({level, count, false, children, {}});
  const Frames::Frame full(children_, end);
  for (std::size_t i = 0; i < indices.size(); ++i) full[indices[i]] = children[i];
  return find_or_add({level, static_cast<std::uint32_t>(end), false, {full.data(), end}, {}});
}

NodeId Forest::find_or_add(const Candidate& candidate) {
  count_request(candidate.size);
  const bool is_long = candidate.size >= long_size;
  const std::uint32_t header = candidate.level | (candidate.sparse ? sparse_bit : 0) |
                               (is_long ? long_size : candidate.size) << size_shift;
  const auto first = candidate.first, second = candidate.second;
  const std::uint64_t h = hash(header, first.data(), first.size(), second.data(), second.size());
  for (NodeId node = buckets_[h & (buckets_.size() - 1)]; node != 0;) {
    const std::uint32_t* const words = address(node);
    if (words[1] == header && (!is_long || words[2] == candidate.size)) {
      const std::uint32_t* const data = words + (is_long ? 3 : 2);
      if (std::equal(first.begin(), first.end(), data) &&
          std::equal(second.begin(), second.end(), data + first.size()))
        return node;
    }
    node = words[0];
  }

  if (used_units_ >= collect_at_ || options_.collect_always) [[unlikely]] {
    collect(candidate.sparse ? second : first);
    collect_at_ = std::max<std::uint64_t>(options_.first_collection / unit_bytes, used_units_ * 2);
    if (node_limit_ != 0)
      collect_at_ = std::min(collect_at_, std::max(node_limit_, used_units_ + used_units_ / 4));
  }
  if (nodes_ >= buckets_.size()) grow_buckets();
  const std::size_t words = (is_long ? 3 : 2) + first.size() + second.size();
  if (words * 4 > chunk_bytes / 2) give_up("a variable has too many different values for a decision diagram");
  const auto units = static_cast<std::uint32_t>((words + 1) / 2);
  const NodeId node = allocate(units);
  std::uint32_t* const to = address(node);
  NodeId& bucket = buckets_[h & (buckets_.size() - 1)];
  to[0] = bucket;
  to[1] = header;
  if (is_long) to[2] = candidate.size;
  std::uint32_t* const data = to + (is_long ? 3 : 2);
  std::copy(first.begin(), first.end(), data);
  std::copy(second.begin(), second.end(), data + first.size());
  bucket = node;
  peak_nodes_ = std::max(peak_nodes_, ++nodes_);
  used_units_ += units;
  peak_units_ = std::max(peak_units_, used_units_);
  return node;
}

// --- memory -----------------------------------------------------------------------------------------------

void Forest::add_chunk() {
  if (chunks_.size() == std::size_t{1} << (32 - chunk_shift))
    give_up("the decision diagrams are too large for this program");
  if (bump_ < bump_end_) add_free(bump_, bump_end_ - bump_);
  memory_.emplace_back(chunk_bytes, memory_.empty() ? Memory::Pages::small : Memory::Pages::huge);
  chunks_.push_back(reinterpret_cast<std::uint32_t*>(memory_.back().data()));
  bump_ = static_cast<std::uint32_t>((chunks_.size() - 1) << chunk_shift);
  bump_end_ = bump_ + (1u << chunk_shift);
}

/// A free block has its size in the first word and a header that no node has.
void Forest::add_free(std::uint32_t block, std::uint32_t units) {
  std::uint32_t* const words = address(block);
  words[0] = units;
  words[1] = 0;
  if (units < 2) return;  // too small for a node: waits for its neighbours
  std::uint32_t& list = units < small_units ? free_[units] : large_free_;
  words[2] = list;
  list = block;
  if (units < small_units) free_sizes_ |= std::uint64_t{1} << units;
}

std::uint32_t Forest::split(std::uint32_t block, std::uint32_t size, std::uint32_t units) {
  if (size > units) add_free(block + units, size - units);
  return block;
}

std::uint32_t Forest::allocate(std::uint32_t units) {
  if (units < small_units) {
    const std::uint64_t fitting = free_sizes_ >> units << units;
    if (fitting != 0) {
      const auto size = static_cast<std::uint32_t>(std::countr_zero(fitting));
      const std::uint32_t block = free_[size];
      free_[size] = address(block)[2];
      if (free_[size] == 0) free_sizes_ &= ~(std::uint64_t{1} << size);
      return split(block, size, units);
    }
  }
  std::uint32_t previous = 0;
  for (std::uint32_t block = large_free_; block != 0; previous = block, block = address(block)[2]) {
    const std::uint32_t size = address(block)[0];
    if (size < units) continue;
    (previous == 0 ? large_free_ : address(previous)[2]) = address(block)[2];
    return split(block, size, units);
  }
  if (bump_end_ - bump_ < units) add_chunk();
  const std::uint32_t block = bump_;
  bump_ += units;
  return block;
}

void Forest::grow_buckets() {
  const std::vector<NodeId> old = std::move(buckets_);
  buckets_.assign(old.size() * 2, 0);
  for (NodeId node : old)
    while (node != 0) {
      std::uint32_t* const words = address(node);
      NodeId& bucket = buckets_[hash_of(words) & (buckets_.size() - 1)];
      const NodeId next = std::exchange(words[0], bucket);
      bucket = std::exchange(node, next);
    }
}

// --- garbage ----------------------------------------------------------------------------------------------

void Forest::mark(NodeId node) {
  const auto visit = [&](NodeId n) {
    if (is_marked(n)) return;
    marks_[n >> 6] |= std::uint64_t{1} << (n & 63);
    mark_stack_.push_back(n);
  };
  visit(node);
  while (!mark_stack_.empty()) {
    const NodeId next = mark_stack_.back();
    mark_stack_.pop_back();
    for_each_child(next, [&](Index, NodeId child) { visit(child); });
  }
}

void Forest::collect(std::span<const NodeId> extra) {
  ++collections_;
  marks_.assign((chunks_.size() << chunk_shift) / 64, 0);
  for (const NodeId node : held_) mark(node);
  for (const NodeId node : extra) mark(node);
  children_.for_each([&](NodeId node) { mark(node); });
  for (const Frames& frames : beside_) frames.for_each([&](NodeId node) { mark(node); });
  for (WeakTable* const table : tables_) table->sweep();
  std::fill(buckets_.begin(), buckets_.end(), NodeId{0});
  std::fill(std::begin(free_), std::end(free_), 0u);
  free_sizes_ = 0;
  large_free_ = 0;
  nodes_ = 0;
  used_units_ = 2;
  for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) sweep_chunk(chunk);
}

/// Walks over the blocks of a chunk: nodes that stay go back to the unique table, neighbours that are free
/// become one block.
void Forest::sweep_chunk(std::size_t chunk) {
  const auto begin = static_cast<std::uint32_t>(chunk << chunk_shift);
  const std::uint32_t end = chunk + 1 == chunks_.size() ? bump_ : begin + (1u << chunk_shift);
  std::uint32_t free_from = 0, free_units = 0;
  for (std::uint32_t at = chunk == 0 ? 2 : begin; at != end;) {
    std::uint32_t* const words = address(at);
    const std::uint32_t units = words[1] == 0 ? words[0] : units_of(words);
    if (words[1] != 0 && is_marked(at)) {
      if (free_units != 0) add_free(free_from, free_units);
      free_units = 0;
      NodeId& bucket = buckets_[hash_of(words) & (buckets_.size() - 1)];
      words[0] = bucket;
      bucket = at;
      ++nodes_;
      used_units_ += units;
    } else {
      if (free_units == 0) free_from = at;
      free_units += units;
      if (options_.collect_always) std::fill_n(words, units * (unit_bytes / 4), 0u);
    }
    at += units;
  }
  if (free_units != 0) add_free(free_from, free_units);
}

void Forest::remove_table(WeakTable& table) {
  table.add_figures(gone_);
  std::erase(tables_, &table);
}

std::size_t Forest::hold(NodeId node) {
  if (free_slots_.empty()) {
    held_.push_back(node);
    free_slots_.reserve(held_.capacity());  // release() must not fail
    return held_.size() - 1;
  }
  const std::size_t slot = free_slots_.back();
  free_slots_.pop_back();
  held_[slot] = node;
  return slot;
}

void Forest::release(std::size_t slot) {
  held_[slot] = empty;
  free_slots_.push_back(slot);
}

// --- figures ----------------------------------------------------------------------------------------------

void Forest::poll() {
  until_poll_ = poll_every;
  requests_ += poll_every;
  if (options_.most_requests != 0 && requests_ > options_.most_requests)
    throw LimitReached("the trial has used up its requests");
  if (options_.budget) options_.budget->require({.nodes = nodes_});
}

void Forest::give_up(const std::string& reason) {
  if (options_.budget) options_.budget->exhaust(reason);
  throw LimitReached(reason);
}

ForestFigures Forest::figures() const {
  ForestFigures figures{.nodes = nodes_,
                        .peak_nodes = peak_nodes_,
                        .bytes = used_units_ * unit_bytes,
                        .peak_bytes = peak_units_ * unit_bytes,
                        .collections = collections_,
                        .cache_lookups = gone_.cache_lookups,
                        .cache_hits = gone_.cache_hits};
  for (const WeakTable* const table : tables_) table->add_figures(figures);
  return figures;
}

std::uint64_t Forest::count_nodes(std::span<const NodeId> roots) const {
  std::vector<std::uint64_t> seen((chunks_.size() << chunk_shift) / 64);
  std::vector<NodeId> stack;
  std::uint64_t count = 0;
  const auto visit = [&](NodeId n) {
    if (n <= unit || (seen[n >> 6] >> (n & 63) & 1) != 0) return;
    seen[n >> 6] |= std::uint64_t{1} << (n & 63);
    ++count;
    stack.push_back(n);
  };
  for (const NodeId root : roots) visit(root);
  while (!stack.empty()) {
    const NodeId node = stack.back();
    stack.pop_back();
    for_each_child(node, [&](Index, NodeId child) { visit(child); });
  }
  return count;
}

}  // namespace tideline::symbolic
