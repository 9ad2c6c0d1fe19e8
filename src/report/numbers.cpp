#include "report/numbers.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tideline {

std::string show_count(std::uint64_t count) {
  return show_count(std::to_string(count));
}

std::string show_count(const std::string& digits) {
  constexpr std::size_t longest = 40;
  if (digits.size() > longest)
    return fmt::format("{}.{}e{}", digits[0], digits.substr(1, 3), digits.size() - 1);
  std::string text = digits;
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string show_seconds(double seconds) {
  if (seconds < 10) return fmt::format("{:.3f} s", seconds);
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string show_statistic(Stat stat, const Statistics::Value& value) {
  const Unit unit = stat->unit;
  if (const auto* text = std::get_if<std::string>(&value))
    return unit == Unit::large_count ? show_count(*text) : *text;
  if (const auto* number = std::get_if<double>(&value)) {
    if (unit == Unit::seconds) return show_seconds(*number);
    return *number < 1000 ? fmt::format("{:.4g}", *number)
                          : show_count(static_cast<std::uint64_t>(std::llround(*number)));
  }
  const auto count = std::get<std::uint64_t>(value);
  return unit == Unit::bytes && count >= 1024 ? show_bytes(count) : show_count(count);
}

std::string show_plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", show_count(count), noun, count == 1 ? "" : "s");
}

}  // namespace tideline
