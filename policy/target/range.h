// Ranges of semantic versions: ">=1.2 <2", "^1.2", "~1.2.3", "1.x || 3.1". Source of the meaning:
// the ranges of node-semver 7 (its "advanced range syntax"), without hyphen ranges.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/target/version.h"

namespace ferry::target {

inline constexpr size_t kMaxRangeBytes = 256;
inline constexpr size_t kMaxRangeTerms = 32;

// One bound after "^", "~" and "x" were resolved: at least / above, at most / below a version.
struct VersionBound {
  enum class Kind { kAtLeast, kAbove, kAtMost, kBelow, kExactly };
  Kind kind = Kind::kAtLeast;
  Version version;
};

// A version is inside when it keeps all bounds of one alternative. A pre-release is inside only
// where a bound of that alternative names a pre-release of the same three numbers: "<2" does not
// take 2.0.0-rc.1, and "^1.2" no 1.3.0-beta.
struct VersionRange {
  std::vector<std::vector<VersionBound>> alternatives;
};

// kMalformed names the term. Terms: version, =, >, >=, <, <=, ^ or ~ before a version; a version of
// a term may be partial ("1.2") or end in x or *. "1.2" means any 1.2.*, ">1.2" at least 1.3.0,
// "<=1.2" below 1.3.0, "^0.2" below 0.3.0. "||" stands between alternatives.
Result<VersionRange> ParseRange(std::string_view text);
bool Contains(const VersionRange& range, const Version& version);

}  // namespace ferry::target
