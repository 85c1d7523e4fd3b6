// A few small cases of our own in the layout of the backend suite, written when tests run. For
// tests only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::conformance {

struct OwnCase {
  std::string_view name;
  std::string_view reason;  // part of why it must fail; empty: it passes
};

// Writes the cases below `directory`; some must pass and some must fail.
Result<std::vector<OwnCase>> WriteOwnCases(const std::string& directory);

}  // namespace ferry::conformance
