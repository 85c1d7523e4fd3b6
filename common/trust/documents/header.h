// The members that every signed part begins with. Source: TUF specification 1.0, section 4.2.
#pragma once

#include <string>
#include <vector>

#include "common/trust/key.h"

namespace ferry::trust {

inline constexpr std::string_view kSpecVersion = "1.0.34";
// Versions stay far from the end of int64, so that version + 1 never overflows.
inline constexpr int64_t kMaxVersion = int64_t{1} << 53;

struct Header {
  int64_t version = 0;
  int64_t expires_ms = 0;
};

// {"_type","spec_version","version","expires"}.
Json HeaderToJson(std::string_view type, const Header& header);
// kMalformed for another type or a version outside 1..kMaxVersion; kUnsupported for a specification
// other than 1.x.
Result<Header> HeaderFromJson(const Json& signed_part, std::string_view type);

// An integer member within [least, most]; kMalformed names it.
Result<int64_t> GetIntIn(const Json& object, std::string_view key, int64_t least, int64_t most);

// Paths of artefacts: at most kMaxAssignedPaths (kLimitExceeded), each of a length that a path may
// have (kMalformed).
Result<std::vector<std::string>> GetPaths(const Json& object, std::string_view key);

}  // namespace ferry::trust
