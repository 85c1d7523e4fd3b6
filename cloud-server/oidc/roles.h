// Which role, and which scope, somebody has by what the issuer says. Pure.
// ---- roles.cc
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::server::oidc {

inline constexpr size_t kMaxRoleRows = 200;

struct RoleRow {
  std::string value;  // of the claim; "*": whoever the issuer lets in
  std::string role;
  std::vector<std::string> packages{"*"};  // globs
  std::vector<std::string> groups;         // of devices; empty: all
  bool operator==(const RoleRow&) const = default;
};
// "VALUE=ROLE[;packages=GLOB,GLOB][;groups=GROUP,GROUP]"; kInvalidArgument. Whether there is such a
// role is for others to say.
Result<RoleRow> ParseRoleRow(std::string_view text);
// The first row that one of the values has.
std::optional<RoleRow> RoleOf(const std::vector<RoleRow>& rows,
                              const std::vector<std::string>& values);

}  // namespace ferry::server::oidc
