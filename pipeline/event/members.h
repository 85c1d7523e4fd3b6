// Strict members of the JSON forms that people write: a member that is not known is an error and
// not silence.
#pragma once

#include <span>
#include <string_view>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::event {

// kMalformed when `object` has a member that is not in `known`; it is named, with the nearest known
// one: 'there is no member "within"; did you mean "within_ms"?'. `known` is not empty.
Status CheckMembers(const Json& object, std::span<const std::string_view> known);

}  // namespace ferry::event
