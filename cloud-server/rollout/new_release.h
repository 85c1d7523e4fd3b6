// What operators give to make a release.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cloud-server/core/rows.h"
#include "common/base/json.h"

namespace ferry::server {

class Transaction;

// What a release is made from; empty members take the defaults of policy/stage and policy/gate.
struct NewRelease {
  std::string package;
  std::string version;
  Json plan;                            // as stage::PlanFromJson; without stages the default ones
  Json settings;                        // {"tolerated_rate", "alpha"}
  std::string salt;                     // empty: made at random
  bool again = false;                   // also a version that was taken back from devices
  std::vector<ExclusiveRow> exclusive;  // `release` is filled in
  // What else is stored with it, in the same transaction; may be empty.
  std::function<Status(Transaction&, const ReleaseRow&)> along{};
};

}  // namespace ferry::server
