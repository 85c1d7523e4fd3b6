#include "common/trust/documents/personal/delegation.h"

#include <algorithm>

#include "common/base/json.h"
#include "common/trust/documents/header.h"
#include "common/trust/tuf/documents.h"

namespace ferry::trust {
namespace {

constexpr std::string_view kPersonalPrefix = "personal/";

Status CheckPatterns(const std::vector<std::string>& patterns) {
  if (patterns.empty() || patterns.size() > kMaxPersonalPatterns) {
    return Status::Of(Code::kInvalidArgument, "{} patterns of personal files, wanted 1 to {}",
                      patterns.size(), kMaxPersonalPatterns);
  }
  for (const std::string& pattern : patterns) {
    if (pattern.starts_with(kPersonalPrefix) && pattern.size() <= tuf::kMaxPatternBytes) continue;
    return Status::Of(Code::kInvalidArgument, "pattern \"{:.200}\" does not begin with {}", pattern,
                      kPersonalPrefix);
  }
  return OkStatus();
}

Status ReadKeysOf(const Json& delegations, PersonalDelegation& out) {
  FERRY_ASSIGN_OR_RETURN(const Json* keys, GetObject(delegations, "keys"));
  for (const std::string& id : out.role.key_ids) {
    FERRY_ASSIGN_OR_RETURN(const Json* object, GetObject(*keys, id));
    FERRY_ASSIGN_OR_RETURN(const PublicKey key, KeyFromJson(*object).Context("key {:.12}", id));
    if (KeyIdOf(key) != id || !out.keys.emplace(id, key).second) {
      return Status::Of(Code::kMalformed,
                        "key {:.12} is not the SHA-256 of its key object, or twice", id);
    }
  }
  return OkStatus();
}

Result<PersonalDelegation> ReadRole(const Json& delegations, const Json& role) {
  PersonalDelegation out;
  FERRY_ASSIGN_OR_RETURN(out.role.key_ids, GetStrings(role, "keyids"));
  if (out.role.key_ids.size() > kMaxPersonalKeys) {
    return Status::Of(Code::kLimitExceeded, "{} keys, at most {}", out.role.key_ids.size(),
                      kMaxPersonalKeys);
  }
  FERRY_ASSIGN_OR_RETURN(
      const int64_t threshold,
      GetIntIn(role, "threshold", 1, static_cast<int64_t>(out.role.key_ids.size())));
  out.role.threshold = static_cast<int>(threshold);
  FERRY_TRY(ReadKeysOf(delegations, out));
  FERRY_ASSIGN_OR_RETURN(out.patterns, GetStrings(role, "paths"));
  if (Status checked = CheckPatterns(out.patterns); !checked.ok()) {
    return Status(Code::kMalformed, checked.message());
  }
  FERRY_ASSIGN_OR_RETURN(const Json* limits, GetObject(role, "ferry"));
  FERRY_ASSIGN_OR_RETURN(
      const int64_t max_bytes,
      GetIntIn(*limits, "max_bytes", 1, static_cast<int64_t>(kMaxPersonalFileBytes)));
  out.max_bytes = static_cast<uint64_t>(max_bytes);
  FERRY_ASSIGN_OR_RETURN(out.data_only, GetBool(*limits, "data_only"));
  return out;
}

}  // namespace

Result<PersonalDelegation> MakePersonalDelegation(const PublicKey& key,
                                                  std::vector<std::string> patterns,
                                                  uint64_t max_bytes) {
  FERRY_TRY(CheckPatterns(patterns));
  if (max_bytes == 0 || max_bytes > kMaxPersonalFileBytes) {
    return Status::Of(Code::kInvalidArgument, "{} bytes a personal file, wanted 1 to {}", max_bytes,
                      kMaxPersonalFileBytes);
  }
  PersonalDelegation out;
  out.role.key_ids = {KeyIdOf(key)};
  out.keys.emplace(out.role.key_ids[0], key);
  out.patterns = std::move(patterns);
  out.max_bytes = max_bytes;
  return out;
}

Json PersonalDelegationToJson(const PersonalDelegation& delegation) {
  Json keys = Json::object();
  for (const auto& [id, key] : delegation.keys) keys[id] = KeyToJson(key);
  Json role = {
      {"name", kPersonalRole},
      {"keyids", delegation.role.key_ids},
      {"threshold", delegation.role.threshold},
      {"terminating", true},
      {"paths", delegation.patterns},
      {"ferry", {{"max_bytes", delegation.max_bytes}, {"data_only", delegation.data_only}}}};
  return {{"keys", std::move(keys)}, {"roles", Json::array({std::move(role)})}};
}

Result<std::optional<PersonalDelegation>> PersonalDelegationFromJson(const Json& delegations) {
  FERRY_ASSIGN_OR_RETURN(const Json* roles, GetArrayOrNull(delegations, "roles"));
  if (roles == nullptr) return std::optional<PersonalDelegation>();
  for (const Json& role : *roles) {
    FERRY_ASSIGN_OR_RETURN(const std::string name, GetStringOr(role, "name", ""));
    if (name != kPersonalRole) continue;
    FERRY_ASSIGN_OR_RETURN(PersonalDelegation out,
                           ReadRole(delegations, role).Context("delegation \"{}\"", name));
    return std::optional<PersonalDelegation>(std::move(out));
  }
  return std::optional<PersonalDelegation>();
}

bool NamesKey(const PersonalDelegation& delegation, std::string_view key_id) {
  const auto& ids = delegation.role.key_ids;
  return std::find(ids.begin(), ids.end(), key_id) != ids.end();
}

bool TakesPath(const PersonalDelegation& delegation, std::string_view path) {
  return std::any_of(
      delegation.patterns.begin(), delegation.patterns.end(),
      [&](const std::string& pattern) { return tuf::MatchesPattern(pattern, path); });
}

}  // namespace ferry::trust
