// Measures what the state table costs: time per insertion and lookup, and bytes per state beyond the state.
//
// States are numbers scrambled over 20 or 60 bytes, so hardly two in a row share a cache line of the index,
// as in a search. `batched` is how searches use the table (hint, hint again, insert); `plain` is without
// hints. The standard library's set of strings is measured too, for scale.
//
//   insert   all states new
//   lookup   all states there, in another order
//   search   one new state among four, like the transitions of a typical model
#include <benchmark/benchmark.h>

#include <array>
#include <cstring>
#include <string>
#include <unordered_set>

#include "store/segmented_table.hpp"

namespace {

using namespace tideline;

constexpr std::size_t batch = 64;
constexpr std::size_t largest_state = 64;

std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ x >> 31) * 0x7FB5D329728EA185u;
  x = (x ^ x >> 27) * 0x81DADEF4BC2DD44Du;
  return x ^ x >> 33;
}

void make_state(std::uint64_t number, std::size_t bytes, std::byte* state) {
  const std::uint64_t word = scramble(number);
  for (std::size_t i = 0; i < bytes; i += sizeof word)
    std::memcpy(state + i, &word, std::min(sizeof word, bytes - i));
}

// Every number below n once, in an order without locality.
std::uint64_t shuffled(std::uint64_t i, std::uint64_t n) {
  return i * 2654435761u % n;
}

using Table = SegmentedTable<>;

// Inserts the states number(0), number(1), ... as a search does.
template <class Number>
void insert_batched(Table& table, std::size_t bytes, std::uint64_t count, Number&& number) {
  alignas(cache_line) std::array<std::byte, batch * largest_state> states;
  std::array<std::uint64_t, batch> hashes;
  for (std::uint64_t i = 0; i < count; i += batch) {
    const std::size_t n = std::min<std::uint64_t>(batch, count - i);
    for (std::size_t j = 0; j < n; ++j) {
      std::byte* const state = states.data() + j * largest_state;
      make_state(number(i + j), bytes, state);
      hashes[j] = table.hash(state);
      table.prefetch_index(hashes[j]);
    }
    for (std::size_t j = 0; j < n; ++j) table.prefetch_state(hashes[j]);
    for (std::size_t j = 0; j < n; ++j) table.insert(states.data() + j * largest_state, hashes[j]);
  }
}

template <class Number>
void insert_plain(Table& table, std::size_t bytes, std::uint64_t count, Number&& number) {
  std::array<std::byte, largest_state> state;
  for (std::uint64_t i = 0; i < count; ++i) {
    make_state(number(i), bytes, state.data());
    table.insert(state.data(), table.hash(state.data()));
  }
}

void report_time(benchmark::State& run, std::uint64_t operations) {
  run.SetItemsProcessed(run.iterations() * static_cast<std::int64_t>(operations));
  run.counters["s_per_op"] =
      benchmark::Counter(static_cast<double>(operations),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Bytes per state beyond the state itself.
double overhead(const Table& table, std::size_t bytes) {
  const auto states = static_cast<double>(table.size());
  return static_cast<double>(table.memory_bytes()) / states - static_cast<double>(bytes);
}

template <bool batched>
void insert(benchmark::State& run) {
  const auto bytes = static_cast<std::size_t>(run.range(0));
  const auto count = static_cast<std::uint64_t>(run.range(1));
  const auto number = [](std::uint64_t i) { return i; };
  for (auto _ : run) {
    Table table(bytes);
    if constexpr (batched)
      insert_batched(table, bytes, count, number);
    else
      insert_plain(table, bytes, count, number);
    run.counters["overhead_bytes"] = overhead(table, bytes);
  }
  report_time(run, count);
}

template <bool batched>
void lookup(benchmark::State& run) {
  const auto bytes = static_cast<std::size_t>(run.range(0));
  const auto count = static_cast<std::uint64_t>(run.range(1));
  Table table(bytes);
  insert_batched(table, bytes, count, [](std::uint64_t i) { return i; });
  const auto number = [=](std::uint64_t i) { return shuffled(i, count); };
  for (auto _ : run) {
    if constexpr (batched)
      insert_batched(table, bytes, count, number);
    else
      insert_plain(table, bytes, count, number);
  }
  run.counters["overhead_bytes"] = overhead(table, bytes);
  report_time(run, count);
}

void search(benchmark::State& run) {
  const auto bytes = static_cast<std::size_t>(run.range(0));
  const auto count = static_cast<std::uint64_t>(run.range(1));
  const auto number = [](std::uint64_t i) { return i % 4 == 0 ? i / 4 : scramble(i) % (i / 4 + 1); };
  for (auto _ : run) {
    Table table(bytes);
    insert_batched(table, bytes, count * 4, number);
    run.counters["overhead_bytes"] = overhead(table, bytes);
  }
  report_time(run, count * 4);
}

void insert_std_set(benchmark::State& run) {
  const auto bytes = static_cast<std::size_t>(run.range(0));
  const auto count = static_cast<std::uint64_t>(run.range(1));
  std::array<std::byte, largest_state> state;
  for (auto _ : run) {
    std::unordered_set<std::string> set;
    for (std::uint64_t i = 0; i < count; ++i) {
      make_state(i, bytes, state.data());
      set.emplace(reinterpret_cast<const char*>(state.data()), bytes);
    }
    benchmark::DoNotOptimize(set);
  }
  report_time(run, count);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"bytes", "states"})->Unit(benchmark::kMillisecond);
  for (const std::int64_t bytes : {20, 60})
    for (std::int64_t states = 10'000; states <= 10'000'000; states *= 10) bench->Args({bytes, states});
}

BENCHMARK(insert<true>)->Name("insert/batched")->Apply(sizes);
BENCHMARK(insert<false>)->Name("insert/plain")->Apply(sizes);
BENCHMARK(lookup<true>)->Name("lookup/batched")->Apply(sizes);
BENCHMARK(lookup<false>)->Name("lookup/plain")->Apply(sizes);
BENCHMARK(search)->Name("search/batched")->Apply(sizes);
BENCHMARK(insert_std_set)->Name("insert/std::unordered_set")->Apply(sizes);

}  // namespace
