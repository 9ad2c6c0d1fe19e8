// Numbers formatted for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "run/budget.hpp"
#include "run/outcome.hpp"

namespace tideline {

/// "1,234,567"
std::string show_count(std::uint64_t count);

/// Likewise from digits; very long numbers are rounded: "9.181e626".
std::string show_count(const std::string& digits);

/// "0.004 s", "12.3 s", "2 min 05 s", "3 h 02 min"
std::string show_seconds(double seconds);

/// The value of a statistic in its unit: "1,234", "5.9 MiB", "0.010 s".
std::string show_statistic(Stat stat, const Statistics::Value& value);

/// "5 steps", "1 step"
std::string show_plural(std::uint64_t count, std::string_view noun);

}  // namespace tideline
