// Roots of the next sweep come back from disk with their layer, once, and stay in memory where they cannot be written.
#include "store/postponed_roots.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

namespace tideline {
namespace {

using RootsByLayer = std::map<std::uint64_t, std::multiset<std::uint32_t>>;

/// A state of four bytes, and four bytes of the search's.
struct RootRecord {
  std::uint32_t state, extra;
};

class Postponed {
 public:
  static constexpr std::uint64_t layer_count = 50;
  /// Layers have between none and seven roots. Some have another persistent state, and keep theirs.
  void add(std::uint32_t first) {
    for (std::uint64_t progress = 0; progress < layer_count; ++progress)
      for (std::uint32_t i = 0; i < (progress + first) % 8; ++i)
        add_root(progress, first + static_cast<std::uint32_t>(progress) * 8 + i);
  }
  void add_root(std::uint64_t progress, std::uint32_t number) {
    const auto* const state = reinterpret_cast<const std::byte*>(&number);
    Layer& layer = layers.at(progress);
    const Insertion insertion = layers.insert_persistent(layer, state, layers.hash(state));
    if (!insertion.inserted) return;
    const std::uint32_t extra = ~number;
    std::memcpy(layer.persistent.extra(insertion.id), &extra, sizeof extra);
    layers.add_later_root(progress, layer, insertion.id);
  }
  bool take(std::size_t least) {
    RootsByLayer taken;
    for (std::uint64_t progress = 0; progress < layer_count; ++progress) {
      const Layer* const layer = layers.find(progress);
      if (!layer || !layer->has_later_roots_alone(least)) continue;
      for (StateId id = 0; id < layer->persistent.size(); ++id)
        taken[progress].insert(number_of(layer->persistent.record(id)));
    }
    const std::uint64_t stored = layers.stored(), later = layers.later_roots();
    if (!roots.take_from(layers, least)) {
      EXPECT_EQ(layers.stored(), stored);
      EXPECT_EQ(layers.later_roots(), later);
      return false;
    }
    std::uint64_t count = 0;
    for (const auto& [progress, numbers] : taken) {
      expected[progress].insert(numbers.begin(), numbers.end());
      count += numbers.size();
      EXPECT_EQ(layers.find(progress), nullptr);
    }
    EXPECT_EQ(layers.stored(), stored - count);
    EXPECT_EQ(layers.later_roots(), later - count);
    return true;
  }
  /// What is read in this sweep, as the line comes to the layers.
  RootsByLayer read_sweep() {
    RootsByLayer found;
    std::vector<std::byte> scratch;
    while (const auto progress = roots.first_due()) {
      EXPECT_TRUE(found.empty() || *progress > found.rbegin()->first);
      roots.pass(*progress);
      roots.read(*progress, scratch, [&, p = *progress](const std::byte* records, std::uint32_t number) {
        for (; number != 0; --number, records += sizeof(RootRecord)) found[p].insert(number_of(records));
      });
    }
    return found;
  }
  static std::uint32_t number_of(const std::byte* record) {
    RootRecord root{};
    std::memcpy(&root, record, sizeof root);
    EXPECT_EQ(root.extra, ~root.state);
    return root.state;
  }

  Layers layers{sizeof(std::uint32_t), sizeof(std::uint32_t), sizeof(std::uint32_t)};
  PostponedRoots roots{std::filesystem::temp_directory_path(), sizeof(RootRecord)};
  RootsByLayer expected = {};
};

TEST(PostponedRoots, ComeBackWithTheirLayerInTheNextSweep) {
  for (const std::size_t least : {1u, 4u}) {
    Postponed some;
    for (std::uint32_t sweep = 0; sweep < 3; ++sweep) {
      some.expected.clear();
      for (const std::uint32_t first :
           {1u, 20'000u, 1u}) {  // the third time those of the first are met again
        some.add(first + sweep);
        ASSERT_TRUE(some.take(least));
      }
      EXPECT_TRUE(some.roots.has_later());
      EXPECT_FALSE(some.roots.first_due());
      some.roots.begin_sweep();
      EXPECT_FALSE(some.roots.has_later());
      EXPECT_EQ(some.read_sweep(), some.expected);
    }
    some.roots.begin_sweep();
    EXPECT_FALSE(some.roots.first_due());
  }
}

TEST(PostponedRoots, ComeBackAtOnceExceptThoseThatWereRead) {
  Postponed some;
  some.add(1);
  ASSERT_TRUE(some.take(1));
  some.roots.begin_sweep();
  some.add(30'000);
  ASSERT_TRUE(some.take(1));
  some.roots.pass(19);
  for (std::uint64_t progress = 0; progress < 20; ++progress)
    std::erase_if(some.expected[progress], [](std::uint32_t number) { return number < 30'000; });
  std::erase_if(some.expected, [](const auto& layer) { return layer.second.empty(); });
  RootsByLayer found;
  std::vector<std::byte> scratch;
  some.roots.read_all(scratch, [&](std::uint64_t progress, const std::byte* record) {
    found[progress].insert(Postponed::number_of(record));
  });
  EXPECT_EQ(found, some.expected);
  EXPECT_FALSE(some.roots.has_later());
  EXPECT_FALSE(some.roots.first_due());
}

TEST(PostponedRoots, StayInMemoryWhenTheDiskIsFull) {
  Postponed some;
  some.add(1);
  ASSERT_TRUE(some.take(1));
  some.add(20'000);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{100, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const bool taken = some.take(1);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(taken);
  some.roots.begin_sweep();  // those that were written before are there
  EXPECT_EQ(some.read_sweep(), some.expected);
}

}  // namespace
}  // namespace tideline
