// The versions of signed metadata that a device uses, kept apart from the metadata itself: who
// begins anew from the pinned root takes nothing older.
#pragma once

#include <cstdint>

#include "common/base/json_fwd.h"
#include "common/trust/trusted_set.h"

namespace ferry::agent {

struct TrustFloor {
  int64_t root = 0;  // 0 here and below: none was seen
  int64_t timestamp = 0;
  int64_t snapshot = 0;
  int64_t targets = 0;
  bool operator==(const TrustFloor&) const = default;
};

TrustFloor FloorOf(const trust::TrustedSet& set);
// kVersionRollback names the role and both versions. Under a newer root than the floor's only the
// root is compared: it may have new online keys, whose versions begin anew.
Status CheckFloor(const trust::TrustedSet& set, const TrustFloor& floor);

Json ToJson(const TrustFloor& floor);
Result<TrustFloor> TrustFloorFromJson(const Json& json);

}  // namespace ferry::agent
