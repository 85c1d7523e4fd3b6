// Releases and devices as the server describes them, as text for people. All of it is visible text
// (text/visible.h), whatever devices call themselves.
#pragma once

#include <string>

#include "common/base/json.h"

namespace ferry::cli {

// One release in a sentence. Fields that the server left out show as "-", here and below.
std::string ReleaseLine(const Json& release);
std::string ReleasesText(const Json& releases);  // an array, as a table; empty for none
std::string ReleaseText(const Json& release);    // with stages, gates, members, history
std::string MembersText(const Json& release);    // {"stages","members"}, as a table
std::string PreviewText(const Json& preview);
std::string DevicesText(const Json& devices);  // an array, as a table; empty for none
std::string DeviceText(const Json& device);

// A member in words: strings and numbers as they are, lists with commas, objects as "key value"
// pairs; "-" when it is missing or empty. Visible, in one line.
std::string Field(const Json& object, std::string_view key);
// Milliseconds since 1970 as a date; "-" for 0.
std::string TimeField(const Json& object, std::string_view key);
// People count stages from 1, as the server's own sentences do: "2 of 5", or "2" where the count is
// not known (0). The JSON counts from 0.
std::string StageField(const Json& object, std::string_view key, size_t count);

// Of `ferry device losses`: {"losses","refusals"}.
std::string LossesText(const Json& answer);
// What GET /status says of a restore and of rows that are not here; empty when there is neither.
std::string RecordsText(const Json& status);

}  // namespace ferry::cli
