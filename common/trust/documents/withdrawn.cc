#include "common/trust/withdrawn.h"

#include <algorithm>

#include "common/base/json.h"
#include "common/trust/documents/header.h"
#include "common/trust/targets.h"

namespace ferry::trust {
namespace {

Result<Withdrawal> WithdrawalFromJson(const std::string& path, const Json& object) {
  Withdrawal out;
  FERRY_ASSIGN_OR_RETURN(out.package, GetString(object, "package"));
  FERRY_ASSIGN_OR_RETURN(out.version, GetString(object, "version"));
  FERRY_ASSIGN_OR_RETURN(out.release_counter, GetIntIn(object, "release_counter", 1, kMaxVersion));
  FERRY_ASSIGN_OR_RETURN(out.reason, GetString(object, "reason"));
  if (!IsName(out.package) || !IsName(out.version) || path != FullPath(out.package, out.version)) {
    return Status(Code::kMalformed, "it does not fit its package and version");
  }
  return out;
}

Status CheckNoFallback(const Targets& targets, std::string_view package, std::string_view version) {
  for (const auto& [path, entry] : targets.entries) {
    if (entry.package != package || entry.version == version || !entry.fallback) continue;
    if (entry.fallback->version != version) continue;
    return Status::Of(Code::kFailedPrecondition,
                      "{} {} is the fallback of {}: devices could not go back (--force does it)",
                      package, version, entry.version);
  }
  return OkStatus();
}

}  // namespace

Json WithdrawalsToJson(const Withdrawals& withdrawn) {
  Json list = Json::object();
  for (const auto& [path, item] : withdrawn) {
    list[path] = {{"package", item.package},
                  {"version", item.version},
                  {"release_counter", item.release_counter},
                  {"reason", item.reason}};
  }
  return {{"withdrawn", std::move(list)}};
}

Result<Withdrawals> WithdrawalsFromJson(const Json& object) {
  Withdrawals out;
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetObjectOrNull(object, "withdrawn"));
  if (list == nullptr) return out;
  if (list->size() > kMaxTargets) {
    return Status::Of(Code::kLimitExceeded, "{} withdrawn versions, at most {}", list->size(),
                      kMaxTargets);
  }
  for (const auto& [path, value] : list->items()) {
    FERRY_ASSIGN_OR_RETURN(Withdrawal item,
                           WithdrawalFromJson(path, value).Context("withdrawn \"{:.200}\"", path));
    out.emplace(path, std::move(item));
  }
  return out;
}

Status Withdraw(Targets& targets, std::string_view package, std::string_view version,
                std::string_view reason, bool force) {
  const std::string full = FullPath(package, version);
  const auto found = targets.entries.find(full);
  if (found == targets.entries.end()) {
    const bool gone = targets.withdrawn.contains(full);
    return Status::Of(Code::kNotFound, "{} {} {}", package, version,
                      gone ? "is withdrawn already" : "was never published");
  }
  if (reason.empty() || reason.size() > kMaxReasonBytes) {
    return Status::Of(Code::kInvalidArgument, "a reason of 1 to {} bytes is needed",
                      kMaxReasonBytes);
  }
  if (!force) FERRY_TRY(CheckNoFallback(targets, package, version));
  targets.withdrawn[full] = {std::string(package), std::string(version),
                             found->second.release_counter, std::string(reason)};
  std::erase_if(targets.entries, [&](const auto& item) {
    return item.second.package == package && item.second.version == version;
  });
  return OkStatus();
}

int64_t HighestCounter(const Targets& targets, std::string_view package) {
  int64_t highest = 0;
  for (const auto& [path, entry] : targets.entries) {
    if (entry.package == package) highest = std::max(highest, entry.release_counter);
  }
  for (const auto& [path, item] : targets.withdrawn) {
    if (item.package == package) highest = std::max(highest, item.release_counter);
  }
  return highest;
}

}  // namespace ferry::trust
