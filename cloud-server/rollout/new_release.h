// What operators give to make a release.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cloud-server/core/rows.h"
#include "common/base/json.h"

namespace ferry::target {
struct Attributes;
}

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

// What a preview shows of the devices that it counts.
struct PreviewAsk {
  Json plan;
  std::string salt;  // empty: drawn, as Create draws one; give Preview.salt to the release
  // At most so many devices of each kind, by their ids after these.
  size_t limit = SIZE_MAX;
  std::string devices_after, outside_after;
  // Calls its argument for every device of the fleet in order of their ids; empty: those of the
  // store.
  using OneDevice = std::function<void(const target::Attributes& device, bool blocked)>;
  std::function<Status(const OneDevice&)> each_device;
};

}  // namespace ferry::server
