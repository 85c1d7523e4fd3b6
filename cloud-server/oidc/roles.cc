#include "cloud-server/oidc/roles.h"

#include <algorithm>

namespace ferry::server::oidc {
namespace {

std::vector<std::string> PartsOf(std::string_view text, char end) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t at = text.find(end);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

Result<RoleRow> ParseRoleRow(std::string_view text) {
  const Status wrong = Status::Of(
      Code::kInvalidArgument,
      "\"{}\": wanted VALUE=ROLE, and then perhaps ;packages=GLOB,GLOB and ;groups=GROUP,GROUP",
      text.substr(0, 80));
  const std::vector<std::string> parts = PartsOf(text, ';');
  // A value may hold "=", as names of directories do: "CN=Operators,DC=example".
  const size_t equals = parts[0].rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == parts[0].size()) return wrong;
  RoleRow row;
  row.value = parts[0].substr(0, equals);
  row.role = parts[0].substr(equals + 1);
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t at = parts[i].find('=');
    if (at == std::string::npos) return wrong;
    const std::string name = parts[i].substr(0, at);
    if (name != "packages" && name != "groups") return wrong;
    (name == "packages" ? row.packages : row.groups) = PartsOf(parts[i].substr(at + 1), ',');
  }
  return row;
}

std::optional<RoleRow> RoleOf(const std::vector<RoleRow>& rows,
                              const std::vector<std::string>& values) {
  for (const RoleRow& row : rows)
    if (row.value == "*" || std::find(values.begin(), values.end(), row.value) != values.end())
      return row;
  return std::nullopt;
}

}  // namespace ferry::server::oidc
