#include "cluster/lassos/engines.hpp"

#include <atomic>
#include <optional>
#include <type_traits>
#include <utility>

#include "cluster/lassos/lasso.hpp"
#include "cluster/lassos/map.hpp"
#include "cluster/lassos/owcty.hpp"
#include "cluster/ranks/guarded.hpp"
#include "cluster/ranks/in_threads.hpp"
#include "search/lassos/lasso_task.hpp"
#include "store/checkpoint.hpp"
#include "store/memory.hpp"

namespace tideline::cluster {

namespace {

/// What must be the same on all ranks, or they would wait for each other for ever.
std::uint64_t fingerprint(const LassoTask& task, unsigned values) {
  ByteWriter writer;
  const auto add = [&](auto part) { writer(part); };
  add(task.system.initial);
  add(std::uint64_t{task.system.actions.size()});
  add(std::uint64_t{task.process().edges.size()});
  add(task.options.errors);
  add(task.options.reduce);
  add(task.options.regions);
  add(task.options.choice);
  add(task.options.traces);
  add(task.options.threads);
  add(values);
  const Bytes bytes = writer.take();
  return StateHash{}(bytes.data(), bytes.size());
}

/// Runs a search, which is gone when the lasso is put together.
template <class Search, class G, class... Options>
LassoFound search_as_rank(const LassoTask& task, const G& product, Ranks& ranks, Budget& budget,
                          const Options&... options) {
  LassoFound found;
  std::optional<Bytes> root;
  {
    Search search(product, ranks, options..., task.order(), budget);
    found.result = search.run();
    found.memory_bytes = search.memory_bytes();
    root = search.root();
  }
  if (root && task.options.traces) found.result.lasso = lasso_through(product, *root, ranks, budget);
  return found;
}

/// Likewise, with all threads of this process. Those after the first look only at the limit of the memory.
template <class Search, class G, class... Options>
LassoFound search_with_ranks(const LassoTask& task, const G& product, Ranks& ranks, Budget& budget,
                             const Options&... options) {
  LassoFound found;
  std::atomic<std::uint64_t> memory_bytes = 0;
  in_threads(ranks, task.options.threads, [&](Ranks& job, unsigned thread) {
    Budget own({.memory_bytes = budget.memory_limit()});
    Budget& mine = thread == 0 ? budget : own;
    LassoFound here =
        naming_limits(mine, [&] { return search_as_rank<Search>(task, product, job, mine, options...); });
    memory_bytes += here.memory_bytes;
    if (thread == 0) found = std::move(here);
  });
  found.memory_bytes = memory_bytes;
  return found;
}

template <class Find>
LassoFound search_together(const LassoTask& task, unsigned values, Ranks& ranks, Budget& budget,
                           const Find& find) try {
  ranks.require_same(fingerprint(task, values));
  const std::uint64_t batches = ranks.batches_sent(), bytes = ranks.bytes_sent();
  LassoFound found = task.search(find, budget);
  const std::uint64_t reduced = task.reduction ? task.reduction->reduced_states() : 0;
  const auto sums = ranks.all_reduce(
      {found.memory_bytes, ranks.batches_sent() - batches, ranks.bytes_sent() - bytes, reduced});
  found.memory_bytes = sums[0];
  found.ranks = {.count = ranks.size(),
                 .batches = sums[1],
                 .batch_bytes = sums[2],
                 .reduced_elsewhere = sums[3] - reduced,
                 .peak_bytes_elsewhere = ~ranks.all_reduce({~peak_resident_bytes()}, Combine::least)[0]};
  return found;
} catch (const RankLeft& left) {
  budget.exhaust(left.what());
  throw;
}

template <unsigned values>
LassoFound search_owcty_with(const LassoTask& task, Ranks& ranks, Budget& budget) {
  return search_together(task, values, ranks, budget, [&](const auto& product) {
    using Product = std::remove_cvref_t<decltype(product)>;
    return search_with_ranks<OwctySearch<Product, values>>(task, product, ranks, budget, task.options.choice);
  });
}

}  // namespace

LassoFound search_map(const LassoTask& task, Ranks& ranks, Budget& budget) {
  return search_together(task, 0, ranks, budget, [&](const auto& product) {
    using Product = std::remove_cvref_t<decltype(product)>;
    return search_with_ranks<MapSearch<Product>>(task, product, ranks, budget);
  });
}

LassoFound search_owcty(const LassoTask& task, Ranks& ranks, Budget& budget) {
  return search_owcty_with<0>(task, ranks, budget);
}

LassoFound search_owcty_map(const LassoTask& task, Ranks& ranks, Budget& budget) {
  static_assert(OwctyOptions::most_values == 3);
  switch (task.options.values) {
    case 0:
      return search_owcty_with<0>(task, ranks, budget);
    case 1:
      return search_owcty_with<1>(task, ranks, budget);
    case 2:
      return search_owcty_with<2>(task, ranks, budget);
    default:
      return search_owcty_with<3>(task, ranks, budget);
  }
}

}  // namespace tideline::cluster
