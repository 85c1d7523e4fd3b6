// Members of specs: an unknown one is refused, with the known one that it looks like.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "common/base/json.h"

namespace ferry::operators {

// kMalformed for a member that is not among `known`: "there is no member "wher"; "where" is near".
Status CheckMembers(const Json& object, std::initializer_list<std::string_view> known);

// The one of `known` that is the fewest letters away, at most a third of the word; else empty.
std::string_view NearestName(std::string_view word, std::span<const std::string_view> known);

}  // namespace ferry::operators
