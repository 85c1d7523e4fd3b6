#include "common/trust/assignment.h"

#include "common/base/json.h"
#include "common/trust/documents/header.h"
#include "common/trust/envelope.h"
#include "common/trust/targets.h"
#include "common/trust/time.h"

namespace ferry::trust {
namespace {

constexpr std::string_view kActionNames[] = {"none", "install", "rollback"};

Result<Action> ActionFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(kActionNames); ++i) {
    if (kActionNames[i] == name) return static_cast<Action>(i);
  }
  return Status::Of(Code::kMalformed, "field \"action\" is \"{:.40}\"", name);
}

}  // namespace

Json AssignmentToJson(const Assignment& assignment) {
  return {{"_type", "assignment"},
          {"device", assignment.device},
          {"counter", assignment.counter},
          {"release", assignment.release},
          {"epoch", assignment.epoch},
          {"action", kActionNames[static_cast<size_t>(assignment.action)]},
          {"targets", assignment.targets},
          {"exclusive", assignment.exclusive},
          {"expires", FormatTime(assignment.expires_ms)}};
}

Result<Assignment> AssignmentFromJson(const Json& signed_part) {
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(signed_part, "_type"));
  if (type != "assignment") {
    return Status::Of(Code::kMalformed, "_type is \"{:.40}\", wanted \"assignment\"", type);
  }
  Assignment out;
  FERRY_ASSIGN_OR_RETURN(out.device, GetString(signed_part, "device"));
  FERRY_ASSIGN_OR_RETURN(out.counter, GetIntIn(signed_part, "counter", 1, kMaxVersion));
  FERRY_ASSIGN_OR_RETURN(out.release, GetString(signed_part, "release"));
  // Devices keep it with each report.
  if (out.release.size() > kMaxNameBytes) {
    return Status::Of(Code::kLimitExceeded, "field \"release\" has {} bytes, at most {}",
                      out.release.size(), kMaxNameBytes);
  }
  FERRY_ASSIGN_OR_RETURN(out.epoch, GetIntIn(signed_part, "epoch", 0, kMaxVersion));
  FERRY_ASSIGN_OR_RETURN(const std::string action, GetString(signed_part, "action"));
  FERRY_ASSIGN_OR_RETURN(out.action, ActionFromName(action));
  FERRY_ASSIGN_OR_RETURN(out.targets, GetPaths(signed_part, "targets"));
  FERRY_ASSIGN_OR_RETURN(out.exclusive, GetPaths(signed_part, "exclusive"));
  FERRY_ASSIGN_OR_RETURN(const std::string expires, GetString(signed_part, "expires"));
  FERRY_ASSIGN_OR_RETURN(out.expires_ms, ParseTime(expires).Context("field \"expires\""));
  return out;
}

Result<Bytes> SignAssignment(const Assignment& assignment, const SigningKey& director) {
  return SignDocument(AssignmentToJson(assignment), {&director, 1});
}

}  // namespace ferry::trust
