#include "common/trust/fresh.h"

#include "common/trust/time.h"

namespace ferry::trust {
namespace {

Status CheckUntil(std::string_view role, int64_t expires_ms, int64_t now_ms) {
  if (now_ms < expires_ms) return OkStatus();
  return Status::Of(Code::kExpired, "{} expired at {}", role, FormatTime(expires_ms));
}

Status CheckGoBack(const TrustedSet& set, int64_t now_ms) {
  if (set.timestamp() == nullptr || set.snapshot() == nullptr || set.targets() == nullptr) {
    return Status(Code::kFailedPrecondition, "the metadata chain is not complete");
  }
  FERRY_TRY(CheckUntil("root", set.root().expires_ms, now_ms));
  FERRY_TRY(CheckUntil("timestamp", set.timestamp()->expires_ms, now_ms));
  FERRY_TRY(CheckUntil("snapshot", set.snapshot()->expires_ms, now_ms));
  if (set.NeedsSnapshot() || set.NeedsTargets()) {
    return Status(Code::kFailedPrecondition,
                  "there are newer targets than those that were verified here");
  }
  return OkStatus();
}

}  // namespace

Status CheckFreshFor(const TrustedSet& set, Purpose purpose, int64_t now_ms) {
  if (purpose == Purpose::kStop) return OkStatus();
  if (purpose == Purpose::kGoBack) return CheckGoBack(set, now_ms);
  return set.CheckFresh(now_ms);
}

}  // namespace ferry::trust
