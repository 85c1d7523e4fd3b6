// What `ferry keys` says of a publisher's folder.
#pragma once

#include "tools/ferry/command.h"
#include "tools/ferry/publisher/directory.h"

namespace ferry::cli {

// Before an expiry it is warned of this long.
inline constexpr int64_t kWarnBeforeMs = 30 * int64_t{86'400'000};

// Roles, keys, versions and expiries; `done` begins the text. "warnings" has a sentence for each
// document that is past its expiry at `now_ms`, or soon will be.
Output DescribeKeys(const PublisherDirectory& directory, std::string_view done, int64_t now_ms);

}  // namespace ferry::cli
