#include "cloud-server/admin/rights/rights.h"

#include <fnmatch.h>

#include <algorithm>

namespace ferry::server {
namespace {

constexpr uint32_t Mask(std::initializer_list<Right> rights) {
  uint32_t mask = 0;
  for (const Right right : rights) mask |= static_cast<uint32_t>(right);
  return mask;
}

struct Role {
  const char* name;
  uint32_t rights;
};
constexpr Role kRoles[] = {
    {"viewer", Mask({Right::kView})},
    {"releaser", Mask({Right::kView, Right::kRelease, Right::kStop})},
    {"approver", Mask({Right::kView, Right::kStop, Right::kApprove})},
    {"developer", Mask({Right::kView, Right::kRead})},
    {"admin", Mask({Right::kView, Right::kRelease, Right::kStop, Right::kApprove, Right::kAdmin,
                    Right::kRead})},
};

}  // namespace

Result<uint32_t> RightsOfRole(std::string_view role) {
  for (const Role& known : kRoles)
    if (role == known.name) return known.rights;
  return Status::Of(Code::kInvalidArgument,
                    "role \"{}\": not viewer, developer, releaser, approver or admin",
                    role.substr(0, 40));
}

const std::vector<RouteRight>& AllRouteRights() {
  static const std::vector<RouteRight> all = {
#define FERRY_RIGHT(method, pattern, right, target, changes, two_people) \
  {method, pattern, Right::right, Target::target, changes, TwoPeople::two_people},
#include "cloud-server/admin/rights/table.inc"
#undef FERRY_RIGHT
  };
  return all;
}

RouteRight RightOfRoute(const std::string& method, const std::string& pattern) {
  for (const RouteRight& row : AllRouteRights())
    if (method == row.method && pattern == row.pattern) return row;
  return {"", "", Right::kAdmin, Target::kNone, method != "GET", TwoPeople::kNever};
}

bool Identity::MayPackage(const std::string& package) const {
  return std::all_of(packages.begin(), packages.end(), [&](const auto& globs) {
    return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
      return ::fnmatch(glob.c_str(), package.c_str(), FNM_NOESCAPE) == 0;
    });
  });
}

bool Identity::MayGroups(const std::vector<std::string>& wanted) const {
  if (!groups) return true;
  return !wanted.empty() &&
         std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& group) { return IsWithin(group, *groups); });
}

bool IsWithin(const std::string& group, const std::vector<std::string>& within) {
  return std::any_of(within.begin(), within.end(), [&](const std::string& outer) {
    return group == outer || group.starts_with(outer + "/");
  });
}

std::string LimitRule(const std::string& rule, const std::vector<std::string>& groups) {
  // Nothing, rather than an empty rule, which is everything.
  if (groups.empty()) return "not all";
  std::string limit;
  for (const std::string& group : groups)
    limit += fmt::format("{}tag(\"{}\")", limit.empty() ? "" : " or ", group);
  if (rule.empty()) return limit;
  return fmt::format("({}) and ({})", limit, rule);
}

Status CheckScope(const std::vector<std::string>& packages,
                  const std::vector<std::string>& groups) {
  if (packages.empty())
    return Status(Code::kInvalidArgument, "packages: none, so that nothing could be changed");
  if (packages.size() > kMaxScopeItems || groups.size() > kMaxScopeItems)
    return Status::Of(Code::kLimitExceeded, "a scope has at most {} packages and {} groups",
                      kMaxScopeItems, kMaxScopeItems);
  const auto plain = [](const std::string& text, std::string_view more) {
    return !text.empty() && text.size() <= kMaxScopeBytes &&
           std::all_of(text.begin(), text.end(), [&](char c) {
             return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    more.find(c) != std::string_view::npos;
           });
  };
  for (const std::string& glob : packages)
    if (!plain(glob, "._/-*?[]"))
      return Status::Of(Code::kInvalidArgument, "packages: \"{}\" is no glob of a package's name",
                        glob.substr(0, 40));
  for (const std::string& group : groups)
    if (!plain(group, "._/-"))
      return Status::Of(Code::kInvalidArgument, "groups: \"{}\": letters, digits and ._/- only",
                        group.substr(0, 40));
  return OkStatus();
}

}  // namespace ferry::server
