// Measures how long saturation takes on families of nets: one line per family and size.
//
//   saturation_times FAMILY SIZE [ORDER [plain]]
//
// FAMILY: philosophers, kanban, slotted-ring, fms, token-ring. ORDER as for --order; plain: every place has a
// level of its own. The clock runs from the system in memory to the number of states.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "symbolic/space/state_space.hpp"
#include "testing/net_families.hpp"

namespace {

using namespace tideline;
using namespace tideline::symbolic;

System family(const std::string& name, int size) {
  if (name == "philosophers") return philosophers(size);
  if (name == "kanban") return kanban(size);
  if (name == "slotted-ring") return slotted_ring(size);
  if (name == "fms") return manufacturing(size);
  return token_ring(size);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string name = argv[1];
  const System system = family(name, std::atoi(argv[2]));
  const auto start = std::chrono::steady_clock::now();
  StateSpaceOptions options;
  if (argc > 3) options.order = order_from(argv[3]).value_or(OrderName::best);
  options.grouping = argc <= 4;
  StateSpace space(system, options);
  const double prepared = seconds_since(start);
  space.explore();
  const double explored = seconds_since(start);
  const mpz_class states = space.sets().count(space.reachable());
  const double counted = seconds_since(start);
  const ForestFigures figures = space.forest().figures();
  const NodeId roots[] = {space.reachable()};
  fmt::print(
      "{} {}: {:.4g} states, {} levels, order {}; {:.3f} s (prepare {:.3f}, saturate {:.3f}, count {:.3f}), "
      "{} "
      "nodes, peak {}, {:.1f} MiB, {} collections, cache {:.1f}% of {}\n",
      name, argv[2], states.get_d(), space.levels().top(), space.order().name, counted, prepared,
      explored - prepared, counted - explored, space.forest().count_nodes(roots), figures.peak_nodes,
      static_cast<double>(figures.peak_bytes) / 1048576, figures.collections,
      100.0 * static_cast<double>(figures.cache_hits) / static_cast<double>(figures.cache_lookups),
      figures.cache_lookups);
}
