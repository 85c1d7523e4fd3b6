// Loading and storing what core decides over. Private to rollout.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cloud-server/core/apply.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

// All rows around one release.
Result<ReleaseRows> LoadAll(Transaction& tx, const std::string& release);
// Those that a report of `device` touches only.
Result<ReleaseRows> LoadForReport(Transaction& tx, const std::string& release,
                                  const std::string& device);

// What one transaction did, for after its commit.
struct Effects {
  std::vector<std::pair<std::string, int64_t>> wake;  // device, assignment counter
  std::vector<std::string> simulate;                  // releases
  bool changed = false;
};

// Writes what core decided; supersedes older releases of the package when it completed.
Status StoreChanges(Transaction& tx, const ReleaseRows& rows, const Changes& changes,
                    int64_t now_ms, Effects* effects);

}  // namespace ferry::server
