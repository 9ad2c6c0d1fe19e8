// The status of a run that is not over, for people and for programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "run/budget.hpp"

namespace tideline {

/// How fast something grows, measured over the last seconds. It begins anew when the number falls, or the time.
class RateMeter {
 public:
  /// The number at this time.
  void add(double seconds, std::uint64_t number);
  /// Nothing before there are two times to compare.
  std::optional<double> per_second() const;

 private:
  struct Sample {
    double seconds;
    std::uint64_t number;
  };
  std::deque<Sample> samples_;  ///< the first one is older than the window, where there is such
};

/// The numbers of a run, and what follows from those before.
struct StatusView {
  RunStatus status = {};
  std::optional<double> states_per_second = {};  ///< of the last seconds; nothing: of the whole phase
};

/// A line for people: "exploring (bfs): 1,234,567 states, 612,000/s, frontier 4,321, depth 17, 80.1 MiB,
/// 2.0 s". Where that is wider than `width`, what matters least is left out.
std::string status_line(const StatusView& view, std::size_t width = ~std::size_t{0});

/// A line for programs: an object that docs/tideline-status.schema.json describes.
std::string status_json(const StatusView& view);

}  // namespace tideline
