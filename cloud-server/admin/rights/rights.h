// Who may do what: roles, scopes, and the table that says what each call needs (table.inc).
// ---- rights.cc
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

// A role is a set of these.
enum class Right : uint32_t {
  kView = 1,
  kRelease = 2,  // publish, release, call devices by tags, let devices join
  kStop = 4,     // pause, halt, take back
  kApprove = 8,  // agree to what another user asked
  kAdmin = 16,   // users, trust, the server itself
  kRead = 32,    // read what is in packages: scripts, manifests
};

// viewer, developer, releaser, approver, admin; kInvalidArgument names them.
Result<uint32_t> RightsOfRole(std::string_view role);

// What a call works on, which the caller's scope has to cover.
enum class Target {
  kNone,         // the server: no scope limits it
  kBodyPackage,  // the member "package" of its body
  kPathPackage,  // the package {name}
  kRelease,      // the release {id}
  kNewCampaign,  // the packages of the member "releases" of its body
  kCampaign,     // the campaign {id}
  kDevice,       // the device {id}
  kDeviceTags,   // the device {id} and the member "tags", which it will have
  kJoinTags,     // the member "tags"
  kPublication,  // packages of entries that are not published yet
  kOwn,          // the user {name}: the caller itself, or any for an admin
};

// Whether another user has to agree where the server asks for two people.
enum class TwoPeople {
  kNever,
  kAlways,
  kIfStart,     // the member "start" is true
  kIfComplete,  // the release or campaign is complete: nothing is in motion that must be stopped
};

struct RouteRight {
  const char* method;
  const char* pattern;
  Right right;
  Target target;
  bool changes;  // logged; viewers may not, but for what is their own
  TwoPeople two_people;
};
const std::vector<RouteRight>& AllRouteRights();
// That of the table; where it has none, a row that lets only admins in.
RouteRight RightOfRoute(const std::string& method, const std::string& pattern);

// Whose call it is. A token of a user may what both allow.
struct Identity {
  std::string account;
  std::string name;  // as history shows it: the user, or what its session was called
  uint32_t rights = 0;
  std::vector<std::vector<std::string>> packages;  // globs; each list must have one that fits
  std::optional<std::vector<std::string>> groups;  // whose devices; absent: all
  std::string session;                             // the id of its session; empty: an API token
  bool by_cookie = false;  // a browser's session: writes need the second secret (cookies.h)
  int64_t expires_ms = 0;

  bool May(Right right) const { return (rights & static_cast<uint32_t>(right)) != 0; }
  bool MayPackage(const std::string& package) const;
  // Whether all of `groups` (not empty) lie within its own; "eu" holds "eu/de".
  bool MayGroups(const std::vector<std::string>& groups) const;
};

// Whether `group` is one of `within` or lies below one.
bool IsWithin(const std::string& group, const std::vector<std::string>& within);
// `rule` for the devices of these groups only.
std::string LimitRule(const std::string& rule, const std::vector<std::string>& groups);

inline constexpr size_t kMaxScopeItems = 64;
inline constexpr size_t kMaxScopeBytes = 128;
// Globs of packages; groups, as letters, digits and "._/-". kInvalidArgument, kLimitExceeded.
Status CheckScope(const std::vector<std::string>& packages, const std::vector<std::string>& groups);

}  // namespace ferry::server
