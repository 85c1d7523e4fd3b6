// The part of targets that lets an online key sign files for single devices: TUF's delegation with
// limits of our own. Source: TUF specification 1.0, section 4.5; the member "ferry" of the role is
// our own.
// ---- delegation.cc
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/trust/key.h"

namespace ferry::trust {

inline constexpr std::string_view kPersonalRole = "personal";
inline constexpr size_t kMaxPersonalPatterns = 64;
inline constexpr size_t kMaxPersonalKeys = 8;
inline constexpr uint64_t kMaxPersonalFileBytes = uint64_t{64} << 20;  // one file, opened

struct PersonalDelegation {
  KeyMap keys;
  RoleKeys role;
  std::vector<std::string> patterns;           // of paths: "personal/sums/*"; '*' takes no '/'
  uint64_t max_bytes = kMaxPersonalFileBytes;  // of one file, opened
  bool data_only = true;                       // nothing of it is ever run; false is never followed
  bool operator==(const PersonalDelegation&) const = default;
};

// One key, for all of `patterns`. kInvalidArgument for no or too many patterns, one that does not
// begin with "personal/", or a size of 0 or above kMaxPersonalFileBytes.
Result<PersonalDelegation> MakePersonalDelegation(const PublicKey& key,
                                                  std::vector<std::string> patterns,
                                                  uint64_t max_bytes);
// The member "delegations" of the signed part of targets. FromJson: nullopt when it has no role
// kPersonalRole; kMalformed names the member.
Json PersonalDelegationToJson(const PersonalDelegation& delegation);
Result<std::optional<PersonalDelegation>> PersonalDelegationFromJson(const Json& delegations);

// Whether one of its keys has this id, and whether one of its patterns takes the path.
bool NamesKey(const PersonalDelegation& delegation, std::string_view key_id);
bool TakesPath(const PersonalDelegation& delegation, std::string_view path);

}  // namespace ferry::trust
