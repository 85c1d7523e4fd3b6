// Two people: calls that wait until another user agrees, and are then carried out once.
// ---- approvals.cc
#pragma once

#include <optional>

#include "cloud-server/admin/routes.h"

namespace ferry::server {

inline constexpr const char* kApprovalPolicy = "approval.policy";  // the setting
inline constexpr int64_t kApprovalLifeMs = 3 * int64_t{86'400'000};
inline constexpr size_t kMaxOpenApprovals = 200;
inline constexpr size_t kShownApprovals = 500;

// Globs of the packages that take two people; empty: none do.
Result<std::vector<std::string>> ApprovalPackages(Transaction& tx);

// The request that this call waits for, made or found (the same call asks once); nullopt: it need
// not wait. `package` as CheckTarget gave it.
Result<std::optional<ApprovalRow>> AskApproval(const Call& call, const Route& route,
                                               const std::string& package);
// The state with time in mind: "open" becomes "expired".
std::string StateOf(const ApprovalRow& row, int64_t now_ms);
// Carries the call out in the name of who asked; its first transaction marks the request done and
// logs both. kFailedPrecondition when it is not open, kPermissionDenied for who asked, and when the
// one who asked may not do it any more.
Result<Json> CarryOutApproved(const Call& approver, const std::string& id);
Status RejectApproval(const Call& call, const std::string& id, const std::string& why);

}  // namespace ferry::server
