// Lists that are too long to read: the first of their elements, and how many more there are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tideline {

/// "note: found: a, b, c ... and 270 more": what stands between commas or plus signs outside of brackets, as far as it ends
/// within so many characters. The text itself where it has no more than these, or little of it would be left.
std::string shortened_list(std::string_view text, std::size_t most);

}  // namespace tideline
