#include "policy/target/groups.h"

#include <algorithm>

#include "policy/target/predicate.h"

namespace ferry::target {
namespace {

void AddNamedGroups(const Node& node, std::set<std::string>* names) {
  if (node.kind == Node::Kind::kCondition && node.condition.predicate->name() == "group")
    names->insert(node.condition.values.begin(), node.condition.values.end());
  for (const NodePtr& child : node.children) AddNamedGroups(*child, names);
}

}  // namespace

Status CheckGroupName(std::string_view name) {
  const bool good = !name.empty() && name.size() <= kMaxGroupNameBytes && name[0] != '.' &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
                    });
  if (good) return OkStatus();
  return Status::Of(
      Code::kInvalidArgument,
      "\"{}\" is no name for a group: 1 to {} of letters, digits, . _ -, no dot first",
      name.substr(0, kMaxGroupNameBytes), kMaxGroupNameBytes);
}

std::set<std::string> GroupsNamedBy(const Rule& rule) {
  std::set<std::string> names;
  AddNamedGroups(*rule.root(), &names);
  return names;
}

Result<std::shared_ptr<const Groups>> Groups::Make(
    std::map<std::string, std::optional<Rule>, std::less<>> groups) {
  if (groups.size() > kMaxGroups)
    return Status::Of(Code::kLimitExceeded, "{} groups, at most {}", groups.size(), kMaxGroups);
  for (const auto& [name, rule] : groups) {
    FERRY_TRY(CheckGroupName(name));
    if (!rule) continue;
    for (const std::string& named : GroupsNamedBy(*rule)) {
      const auto at = groups.find(named);
      if (at == groups.end())
        return Status::Of(Code::kBadRule, "the rule of group {} names {}, which is no group", name,
                          Quote(named));
      if (at->second)
        return Status::Of(Code::kBadRule,
                          "the rule of group {} names {}, which has a rule itself; it may name "
                          "fixed lists only",
                          name, Quote(named));
    }
  }
  auto out = std::make_shared<Groups>();
  out->groups_ = std::move(groups);
  return std::shared_ptr<const Groups>(std::move(out));
}

const Rule* Groups::RuleOf(std::string_view name) const {
  const auto at = groups_.find(name);
  return at == groups_.end() || !at->second ? nullptr : &*at->second;
}

Membership MembershipOf(std::string_view group, const Attributes& device) {
  const Groups* fleet = device.fleet_groups.get();
  if (fleet != nullptr && !fleet->Has(group))
    return {Truth::kUnknown, fmt::format("there is no group {}", Quote(group))};
  const Rule* rule = fleet == nullptr ? nullptr : fleet->RuleOf(group);
  if (rule == nullptr) {
    const bool found =
        std::find(device.groups.begin(), device.groups.end(), group) != device.groups.end();
    return {
        found ? Truth::kTrue : Truth::kFalse,
        fmt::format("the device is {}on the list of group {}", found ? "" : "not ", Quote(group))};
  }
  const std::string salt = "group:" + std::string(group);
  const Truth truth = TruthOf(*rule, device, salt);
  if (truth == Truth::kTrue)
    return {truth, fmt::format("the device matches the rule of group {}", Quote(group))};
  return {truth,
          fmt::format("outside group {}: {}", Quote(group), Explain(*rule, device, salt).reason)};
}

}  // namespace ferry::target
