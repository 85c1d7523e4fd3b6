// Which of some names was meant, for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ferry::llm {

// The one with the fewest letters to change, put in or take out; `known` is not empty.
std::string NearestName(std::string_view name, std::span<const std::string> known);

}  // namespace ferry::llm
