#include "report/long_list.hpp"

#include <fmt/format.h>

namespace tideline {

std::string shortened_list(std::string_view text, std::size_t most) {
  std::size_t end = 0, more = 0, depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '(') ++depth;
    if ((c == '}' || c == ')') && depth > 0) --depth;
    if (depth != 0 || (c != ',' && c != '+')) continue;
    if (i > most) {
      ++more;
    } else {
      end = i;
      more = 1;
    }
  }
  if (text.size() <= most || end < most / 2) return std::string(text);
  while (end > 0 && text[end - 1] == ' ') --end;
  return fmt::format("{} ... and {} more", text.substr(0, end), more);
}

}  // namespace tideline
