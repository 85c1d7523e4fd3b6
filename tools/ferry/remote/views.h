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

}  // namespace ferry::cli
