// Semantic versions, ordered with their pre-releases. Source: Semantic Versioning 2.0.0, 9-11.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::target {

struct Version {
  uint64_t major = 0, minor = 0, patch = 0;
  std::vector<std::string> pre;  // dot-separated identifiers after "-"; empty for a release
};

inline constexpr size_t kMaxVersionBytes = 128;

// "1.2.3", "1.2.3-rc.1", "1.2.3-rc.1+build". "1" and "1.2" are read as "1.0.0" and "1.2.0": apps
// use them. Build metadata is checked and dropped. kMalformed says what is wrong.
Result<Version> ParseVersion(std::string_view text);
// Precedence: a pre-release comes before its release; numeric identifiers before words.
std::strong_ordering Compare(const Version& a, const Version& b);
std::string PrintVersion(const Version& version);

}  // namespace ferry::target
