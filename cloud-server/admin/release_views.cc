#include "cloud-server/admin/views.h"
#include "cloud-server/core/tally.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

// Members that are shown with a release: the rest by pages.
constexpr size_t kShownMembers = 200;

Json CountsOf(const Tallies& tallies) {
  const Counts total = TotalOf(tallies);
  return {{"members", total.members()}, {"healthy", total.healthy},
          {"failed", total.failed},     {"device_cause", total.device_cause},
          {"overdue", total.overdue},   {"back", total.told_back},
          {"returned", total.returned}, {"control", TotalOf(tallies, true).members()}};
}

// The plan's stages as written, each with how far it came.
Json StagesOf(const Json& plan, const std::vector<StageRow>& rows, const Tallies& tallies) {
  Json stages = Json::array();
  int64_t joined = 0;
  for (const StageRow& row : rows) {
    Json stage = Json::object();
    const auto index = static_cast<size_t>(row.index);
    if (plan.contains("stages") && plan["stages"].is_array() && index < plan["stages"].size())
      stage = plan["stages"][index];
    const Counts own = TotalOfStage(tallies, row.index);
    joined += own.members();
    stage["index"] = row.index;
    stage["entered_ms"] = row.entered_ms;
    stage["left_ms"] = row.left_ms;
    stage["planned"] = row.planned;
    stage["approved"] = row.approved;
    stage["members"] = row.entered_ms == 0 ? 0 : joined;
    // Of those that were first offered it here.
    stage["offered"] = own.members();
    stage["confirmed"] = own.healthy;
    stage["failed"] = own.failed;
    stage["silent"] = own.overdue;
    stage["held_back"] = TotalOfStage(tallies, row.index, true).members();
    stages.push_back(std::move(stage));
  }
  return stages;
}

Json GatesToJson(const std::vector<GateNumbers>& gates) {
  Json rows = Json::array();
  for (const GateNumbers& gate : gates)
    rows.push_back({{"stage", gate.stage},
                    {"metric", gate.metric},
                    {"slice", gate.slice},
                    {"control", gate.control},
                    {"decision", gate::DecisionName(gate.decision)},
                    {"devices", gate.failed + gate.healthy + gate.pending},
                    {"failed", gate.failed},
                    {"healthy", gate.healthy},
                    {"pending", gate.pending},
                    {"evidence", gate.evidence},
                    {"threshold", gate.threshold},
                    {"stop", gate.stop}});
  return rows;
}

}  // namespace

Result<Json> ReleaseToJson(const ReleaseRow& release, const Tallies& tallies) {
  FERRY_ASSIGN_OR_RETURN(stage::Plan plan, PlanOf(release));
  const auto stage = static_cast<size_t>(release.stage);
  return Json{
      {"id", release.id},
      {"package", release.package},
      {"version", release.version},
      {"rule", plan.rule_text},
      {"trusted_only", plan.trusted_only},
      {"salt", release.salt},
      {"state", NameOf(release.state)},
      {"stage", release.stage},
      {"stage_kind",
       stage < plan.stages.size() ? stage::KindName(plan.stages[stage].kind) : std::string_view()},
      {"stage_name", stage < plan.stages.size() ? plan.stages[stage].name : ""},
      {"paused_from",
       release.state == ReleaseState::kPaused ? Json(NameOf(release.paused_from)) : Json(nullptr)},
      {"reason", release.reason},
      {"stopped_slices", release.stopped_slices},
      {"fallback_version", release.fallback_version},
      {"created_ms", release.created_ms},
      {"counts", CountsOf(tallies)}};
}

Result<Json> ReleaseInBrief(Transaction& tx, const ReleaseRow& release) {
  FERRY_ASSIGN_OR_RETURN(const Tallies tallies, tx.releases().TotalsOf(release.id));
  return ReleaseToJson(release, tallies);
}

Result<Json> ReleaseInFull(Transaction& tx, const ReleaseRow& release, bool with_members) {
  std::vector<MemberRow> members;
  if (with_members) {
    FERRY_ASSIGN_OR_RETURN(members, tx.releases().MembersPage(release.id, "", kShownMembers));
  }
  FERRY_ASSIGN_OR_RETURN(std::vector<StageRow> stages, tx.releases().Stages(release.id));
  FERRY_ASSIGN_OR_RETURN(const Tallies tallies, tx.releases().TalliesOf(release.id));
  FERRY_ASSIGN_OR_RETURN(const Measured measured, tx.releases().MeasuredOf(release.id));
  FERRY_ASSIGN_OR_RETURN(std::vector<GateNumbers> gates,
                         GatesOf(release, stages, tallies, measured));
  FERRY_ASSIGN_OR_RETURN(std::vector<ExclusiveRow> exclusive, tx.releases().Exclusive(release.id));
  FERRY_ASSIGN_OR_RETURN(int64_t last, tx.releases().LastEventSeq(release.id));
  const auto shown = static_cast<int64_t>(kMaxPageRows);
  FERRY_ASSIGN_OR_RETURN(
      std::vector<EventRow> events,
      tx.releases().Events(release.id, std::max<int64_t>(0, last - shown), kMaxPageRows));
  FERRY_ASSIGN_OR_RETURN(Json plan, ParseJson(release.plan_json));
  FERRY_ASSIGN_OR_RETURN(Json json, ReleaseToJson(release, tallies));
  json["stages"] = StagesOf(plan, stages, tallies);
  for (const char* key : {"rate", "retries", "when"})
    if (plan.contains(key)) json[key] = plan[key];
  FERRY_ASSIGN_OR_RETURN(const PaceRow pace, tx.releases().Pace(release.id));
  if (pace.per_minute > 0) json["per_minute"] = pace.per_minute;
  json["gates"] = GatesToJson(gates);
  json["events"] = Json::array();
  for (const EventRow& event : events) json["events"].push_back(EventToJson(event));
  json["members"] = Json::array();
  for (const MemberRow& member : members) json["members"].push_back(MemberToJson(member));
  json["exclusive"] = Json::array();
  for (const ExclusiveRow& row : exclusive)
    json["exclusive"].push_back({{"path", row.path}, {"device", row.device}});
  return json;
}

}  // namespace ferry::server
