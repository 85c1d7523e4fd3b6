// Counts of a release made anew from its members, beside those that are kept as increments.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/core/metrics/metrics.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

struct Recounted {
  Tallies tallies;
  MetricTallies measured;
  bool same = true;  // as what is kept
};
Result<Recounted> CountAnew(Transaction& tx, const std::string& release);
// Releases in motion.
Result<std::vector<std::string>> ReleasesToCount(Store& store);

}  // namespace ferry::server
