// Releases and devices as the server describes them, as text for people.
#pragma once

#include <string>

#include "common/base/json.h"

namespace ferry::cli {

// Fields that the server left out show as "-".
std::string ReleaseLine(const Json& release);
std::string ReleaseText(const Json& release);  // with stages, gates, members, history
std::string PreviewText(const Json& preview);
std::string DeviceLine(const Json& device);
std::string DeviceText(const Json& device);

// A member as text: strings as they are, other values as JSON, "-" when it is missing or empty.
std::string Field(const Json& object, std::string_view key);

// Of `ferry device losses`: {"losses","refusals"}.
std::string LossesText(const Json& answer);
// What GET /status says of a restore and of rows that are not here; empty when there is neither.
std::string RecordsText(const Json& status);

}  // namespace ferry::cli
