// What the memory of this machine gives one core, for the suite profile: the measure that searches are held against.
//
// Sequential reading, copying, and reads of single lines at random places of an array that is larger than
// the caches: each waiting for the one before, and in batches that are asked for early, as tables do it. Prints JSON.
//
// usage: memory_speed [MEGABYTES]
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <vector>

#include "store/memory.hpp"

namespace {

using tideline::cache_line;

struct alignas(cache_line) Line {
  std::uint64_t next = 0;
  std::array<std::uint64_t, 7> rest{};
};
static_assert(sizeof(Line) == cache_line);

constexpr int rounds = 5;
constexpr std::size_t batch = 64;

/// The least processor time of several calls, in seconds: other programs on the machine disturb that least.
template <class Work>
double best_time(Work work) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

/// Makes one cycle through all lines in random order (Sattolo's algorithm).
void link(std::span<Line> lines) {
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].next = i;
  for (std::size_t i = lines.size() - 1; i > 0; --i)
    std::swap(lines[i].next, lines[std::uniform_int_distribution<std::size_t>(0, i - 1)(random)].next);
}

std::uint64_t sum(std::span<const Line> lines) {
  std::uint64_t total = 0;
  for (const Line& line : lines) total += line.next + line.rest[3];
  return total;
}

std::uint64_t follow(std::span<const Line> lines, std::size_t steps) {
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < steps; ++i) at = lines[at].next;
  return at;
}

std::uint64_t read_batches(std::span<const Line> lines, std::span<const std::uint64_t> places) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i + batch <= places.size(); i += batch) {
    for (std::size_t j = i; j < i + batch; ++j) tideline::prefetch_line(&lines[places[j]]);
    for (std::size_t j = i; j < i + batch; ++j) total += lines[places[j]].next;
  }
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t megabytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 512;
  const std::size_t count = std::max<std::size_t>(megabytes * 1'000'000 / sizeof(Line), 2 * batch);
  std::vector<Line> lines(count), copy(count);
  link(lines);
  std::vector<std::uint64_t> places(std::min<std::size_t>(count, 1 << 20) / batch * batch);
  std::mt19937_64 random(2);
  std::generate(places.begin(), places.end(), [&] { return random() % count; });

  volatile std::uint64_t kept = 0;  // so that nothing is left out
  const double bytes = static_cast<double>(count * sizeof(Line)), reads = static_cast<double>(places.size());
  const double reading = best_time([&] { kept = sum(lines); });
  const double copying = best_time([&] {
    std::copy(lines.begin(), lines.end(), copy.begin());
    kept = copy[places[0]].next;
  });
  const double following = best_time([&] { kept = follow(lines, places.size()); });
  const double batches = best_time([&] { kept = read_batches(lines, places); });
  std::cout << nlohmann::json({{"megabytes", megabytes},
                               {"read_bytes_per_s", bytes / reading},
                               {"copy_bytes_per_s", bytes / copying},
                               {"random_read_s", following / reads},
                               {"batched_read_s", batches / reads}})
                   .dump(1)
            << '\n';
}
