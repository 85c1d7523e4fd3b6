#include "cloud-server/admin/rights/group_checks.h"

#include <algorithm>
#include <set>

#include "cloud-server/core/apply.h"
#include "common/base/json.h"
#include "policy/stage/plan.h"
#include "policy/target/groups.h"
#include "policy/text/rule_text.h"

namespace ferry::server {
namespace {

bool PlanNames(const stage::Plan& plan, const std::string& group) {
  if (target::GroupsNamedBy(plan.rule).contains(group)) return true;
  return std::any_of(plan.stages.begin(), plan.stages.end(), [&](const stage::Stage& stage) {
    return target::GroupsNamedBy(stage.who).contains(group);
  });
}

}  // namespace

Status CheckGroupRule(Transaction& tx, const std::string& name, const std::string& rule) {
  std::map<std::string, std::optional<target::Rule>, std::less<>> groups;
  FERRY_ASSIGN_OR_RETURN(const std::vector<GroupRow> rows, tx.groups().All());
  for (const GroupRow& row : rows) {
    auto parsed =
        row.rule.empty() ? Result<target::Rule>(target::Rule()) : text::ParseRule(row.rule);
    // One that a newer server wrote hinders nobody here.
    if (!parsed.ok() || row.name == name) continue;
    groups.emplace(row.name, row.rule.empty() ? std::nullopt : std::optional(*parsed));
  }
  std::optional<target::Rule> own;
  if (!rule.empty()) {
    FERRY_ASSIGN_OR_RETURN(own, text::ParseRule(rule));
  }
  groups.emplace(name, std::move(own));
  return AsStatus(target::Groups::Make(std::move(groups)));
}

Status CheckGroupUnused(Transaction& tx, const std::string& name) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<GroupRow> groups, tx.groups().All());
  for (const GroupRow& group : groups) {
    if (group.rule.empty()) continue;
    const auto rule = text::ParseRule(group.rule);
    if (rule.ok() && target::GroupsNamedBy(*rule).contains(name))
      return Status::Of(Code::kFailedPrecondition, "the rule of group {} names {}", group.name,
                        name);
  }
  FERRY_ASSIGN_OR_RETURN(const std::vector<ReleaseRow> releases, tx.releases().All());
  for (const ReleaseRow& release : releases) {
    if (IsFinal(release.state)) continue;
    const auto plan = PlanOf(release);
    if (plan.ok() && PlanNames(*plan, name))
      return Status::Of(Code::kFailedPrecondition, "release {}, which is {}, names group {}",
                        release.id, NameOf(release.state), name);
  }
  return OkStatus();
}

Status CheckGroupsOfPlan(Store& store, const Json& plan_json) {
  const auto plan = stage::PlanFromJson(plan_json);
  if (!plan.ok()) return OkStatus();
  std::set<std::string> named = target::GroupsNamedBy(plan->rule);
  for (const stage::Stage& stage : plan->stages) named.merge(target::GroupsNamedBy(stage.who));
  return store.Read([&](Transaction& tx) -> Status {
    for (const std::string& group : named) FERRY_TRY(AsStatus(tx.groups().Get(group)));
    return OkStatus();
  });
}

}  // namespace ferry::server
