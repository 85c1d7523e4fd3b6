#include "device-runtime/agent/state/trust_floor.h"

#include "common/base/json.h"

namespace ferry::agent {
namespace {

Status NotBelow(const char* role, int64_t version, int64_t floor) {
  if (version >= floor) return OkStatus();
  return Status::Of(Code::kVersionRollback, "{} version {} offered, version {} was in use", role,
                    version, floor);
}

}  // namespace

TrustFloor FloorOf(const trust::TrustedSet& set) {
  TrustFloor floor;
  floor.root = set.root().version;
  if (set.timestamp() != nullptr) floor.timestamp = set.timestamp()->version;
  if (set.snapshot() != nullptr) floor.snapshot = set.snapshot()->version;
  if (set.targets() != nullptr) floor.targets = set.targets()->version;
  return floor;
}

Status CheckFloor(const trust::TrustedSet& set, const TrustFloor& floor) {
  const TrustFloor now = FloorOf(set);
  FERRY_TRY(NotBelow("root", now.root, floor.root));
  if (now.root > floor.root) return OkStatus();
  FERRY_TRY(NotBelow("timestamp", now.timestamp, floor.timestamp));
  FERRY_TRY(NotBelow("snapshot", now.snapshot, floor.snapshot));
  return NotBelow("targets", now.targets, floor.targets);
}

Json ToJson(const TrustFloor& floor) {
  return {{"root", floor.root},
          {"timestamp", floor.timestamp},
          {"snapshot", floor.snapshot},
          {"targets", floor.targets}};
}

Result<TrustFloor> TrustFloorFromJson(const Json& json) {
  TrustFloor floor;
  FERRY_ASSIGN_OR_RETURN(floor.root, GetInt(json, "root"));
  FERRY_ASSIGN_OR_RETURN(floor.timestamp, GetInt(json, "timestamp"));
  FERRY_ASSIGN_OR_RETURN(floor.snapshot, GetInt(json, "snapshot"));
  FERRY_ASSIGN_OR_RETURN(floor.targets, GetInt(json, "targets"));
  return floor;
}

}  // namespace ferry::agent
