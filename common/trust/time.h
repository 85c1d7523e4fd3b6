// Times in metadata: "2026-01-31T00:00:00Z". Source: TUF specification 1.0, section 4.2 (ISO 8601,
// UTC, whole seconds).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::trust {

inline constexpr int64_t kDayMs = int64_t{24} * 60 * 60 * 1000;

// Whole seconds, cut down; years 1970 to 9999 (others are clamped).
std::string FormatTime(int64_t unix_ms);
// kMalformed for anything that FormatTime would not write.
Result<int64_t> ParseTime(std::string_view text);

}  // namespace ferry::trust
