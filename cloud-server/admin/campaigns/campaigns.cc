#include "cloud-server/campaign/campaigns.h"

#include "cloud-server/admin/interface/lists.h"
#include "cloud-server/admin/rights/group_checks.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/core/tally.h"

namespace ferry::server {
namespace {

Json BriefOfCampaign(const CampaignRow& row) {
  return {{"id", row.id},
          {"name", row.name},
          {"state", NameOf(row.state)},
          {"reason", row.reason},
          {"by", row.account},
          {"created_ms", row.created_ms},
          {"groups", row.groups ? Json(*row.groups) : Json()},
          {"started_releases", row.releases}};
}

// The releases of the file in order, each with how far it came.
Result<Json> ReleasesOfCampaign(Transaction& tx, const Campaigns::View& view) {
  Json rows = Json::array();
  for (size_t i = 0; i < view.spec.releases.size(); ++i) {
    const CampaignRelease& planned = view.spec.releases[i];
    Json row = {{"package", planned.release.package},
                {"version", planned.release.version},
                {"after", planned.after == After::kComplete ? "complete" : "first_stage"},
                {"release", nullptr},
                {"state", nullptr}};
    for (const char* key : {"rate", "retries", "when"})
      if (planned.release.plan.contains(key)) row[key] = planned.release.plan[key];
    if (i < view.releases.size()) {
      const ReleaseRow& release = view.releases[i];
      FERRY_ASSIGN_OR_RETURN(const Tallies tallies, tx.releases().TalliesOf(release.id));
      FERRY_ASSIGN_OR_RETURN(const PaceRow pace, tx.releases().Pace(release.id));
      const Counts total = TotalOf(tallies);
      row["release"] = release.id;
      row["state"] = NameOf(release.state);
      row["stage"] = release.stage;
      row["reason"] = release.reason;
      row["offered"] = total.members();
      row["confirmed"] = total.healthy;
      row["failed"] = total.failed;
      row["per_minute"] = pace.per_minute > 0 ? Json(pace.per_minute) : Json();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Json> ShowCampaign(const Call& call, const std::string& id) {
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const CampaignRow row, tx.campaigns().Get(id));
    FERRY_ASSIGN_OR_RETURN(const Campaigns::View view, Campaigns::Load(tx, row));
    json = BriefOfCampaign(row);
    json["start_ms"] = view.spec.start_ms;
    json["deadline_ms"] = view.spec.deadline_ms;
    json["on_stop"] = view.spec.on_stop == OnStop::kStop ? "stop" : "rollback_all";
    FERRY_ASSIGN_OR_RETURN(json["releases"], ReleasesOfCampaign(tx, view));
    json["events"] = Json::array();
    FERRY_ASSIGN_OR_RETURN(const std::vector<CampaignEventRow> events, tx.campaigns().Events(id));
    for (const CampaignEventRow& event : events)
      json["events"].push_back({{"seq", event.seq},
                                {"time_ms", event.time_ms},
                                {"kind", event.kind},
                                {"text", event.text}});
    return OkStatus();
  }));
  return json;
}

Result<Json> ListCampaigns(const Call& call) {
  static const list::Spec& spec = MakeListSpec({{"number", list::ColumnKind::kNumber},
                                                {"id", list::ColumnKind::kText},
                                                {"name", list::ColumnKind::kText},
                                                {"state", list::ColumnKind::kText},
                                                {"reason", list::ColumnKind::kText},
                                                {"by", list::ColumnKind::kText},
                                                {"created_ms", list::ColumnKind::kNumber}},
                                               "number", "-number");
  std::vector<CampaignRow> all;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(all, tx.campaigns().All());
    return OkStatus();
  }));
  std::vector<Json> rows;
  for (const CampaignRow& row : all) {
    rows.push_back(BriefOfCampaign(row));
    rows.back()["number"] = row.number;
  }
  return AnswerList(call, spec, "campaigns", rows,
                    [&](size_t i) -> Result<Json> { return BriefOfCampaign(all[i]); });
}

// Who may reach some groups only starts releases that reach no other device.
void LimitToGroups(const std::vector<std::string>& groups, Json* spec) {
  const auto releases = spec->find("releases");
  if (releases == spec->end() || !releases->is_array()) return;
  for (Json& release : *releases) {
    if (!release.is_object()) continue;
    const Result<std::string> rule = GetStringOr(release, "rule", "");
    if (rule.ok()) release["rule"] = LimitRule(*rule, groups);
  }
}

Result<Json> StartCampaign(const Call& call) {
  Campaigns::New from;
  from.spec = call.body;
  from.by = call.by;
  FERRY_ASSIGN_OR_RETURN(from.why, GetStringOr(call.body, "why", ""));
  from.spec.erase("why");
  from.groups = call.who.groups;
  if (from.groups) LimitToGroups(*from.groups, &from.spec);
  FERRY_ASSIGN_OR_RETURN(const CampaignSpec spec, SpecFromJson(from.spec));
  for (size_t i = 0; i < spec.releases.size(); ++i)
    FERRY_TRY(CheckGroupsOfPlan(*call.admin.store, spec.releases[i].release.plan)
                  .Context("releases[{}]", i));
  FERRY_ASSIGN_OR_RETURN(const CampaignRow row, call.admin.campaigns->Create(from));
  return ShowCampaign(call, row.id);
}

void AddCampaignOrder(Routes& routes, Order order) {
  routes.Add(
      "POST", std::string("/api/v1/campaigns/{id}/") + NameOf(order),
      [order](const Call& call) -> Result<Json> {
        FERRY_ASSIGN_OR_RETURN(std::string why, GetStringOr(call.body, "why", ""));
        FERRY_TRY(AsStatus(call.admin.campaigns->Do(call.arguments[0], order, call.by, why)));
        return ShowCampaign(call, call.arguments[0]);
      });
}

}  // namespace

void Add_campaigns(Routes& routes) {
  routes.Add("GET", "/api/v1/campaigns", ListCampaigns);
  routes.Add("POST", "/api/v1/campaigns", StartCampaign);
  routes.Add("GET", "/api/v1/campaigns/{id}",
             [](const Call& call) { return ShowCampaign(call, call.arguments[0]); });
  for (const Order order :
       {Order::kPause, Order::kResume, Order::kHalt, Order::kRollback, Order::kKill})
    AddCampaignOrder(routes, order);
  routes.Add("POST", "/api/v1/campaigns/{id}/retry", [](const Call& call) -> Result<Json> {
    FERRY_ASSIGN_OR_RETURN(std::string why, GetStringOr(call.body, "why", ""));
    FERRY_TRY(AsStatus(call.admin.campaigns->Retry(call.arguments[0], call.by, why)));
    return ShowCampaign(call, call.arguments[0]);
  });
}

}  // namespace ferry::server
