// What the director tells one device to have now: a document in the same envelope as metadata,
// signed by the director key of the root. Source: Uptane's director role.
#pragma once

#include <string>
#include <vector>

#include "common/trust/key.h"

namespace ferry::trust {

inline constexpr size_t kMaxAssignedPaths = 256;

enum class Action { kNone, kInstall, kRollback };

struct Assignment {
  std::string device;
  int64_t counter = 0;  // of this device; only grows
  std::string release;  // at most kMaxNameBytes; empty for kNone
  int64_t epoch = 0;
  Action action = Action::kNone;
  std::vector<std::string> targets;    // paths of the package's artefacts: full and deltas
  std::vector<std::string> exclusive;  // paths of exclusive files that this device gets
  int64_t expires_ms = 0;
  bool operator==(const Assignment&) const = default;
};

// The signed part: {"_type":"assignment",...}. Paths are checked for form.
Json AssignmentToJson(const Assignment& assignment);
Result<Assignment> AssignmentFromJson(const Json& signed_part);

Result<Bytes> SignAssignment(const Assignment& assignment, const SigningKey& director);

}  // namespace ferry::trust
