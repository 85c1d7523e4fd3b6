// Which of some names was meant, for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ferry {

// The first of those that begin with `name`; else the first of those with the fewest letters to
// change, put in or take out. `known` is not empty; the result is one of its names.
std::string_view NearestName(std::string_view name, std::span<const std::string_view> known);
std::string_view NearestName(std::string_view name, std::span<const std::string> known);

}  // namespace ferry
