// Which of some names was meant, for messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ferry {

// The first of those that begin with `name`; else the first of those with the fewest letters to
// change, put in or take out. `known` is not empty; the result is one of its names.
std::string_view NearestName(std::string_view name, std::span<const std::string_view> known);
std::string_view NearestName(std::string_view name, std::span<const std::string> known);

// The same where it is near: one begins with `name`, or differs by two letters (one of a name
// under four letters; a third of a long one) at most. `known` may be empty.
std::optional<std::string_view> NearName(std::string_view name, std::span<const std::string> known);

}  // namespace ferry
