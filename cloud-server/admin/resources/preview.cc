#include "cloud-server/admin/routes.h"
#include "cloud-server/list/query.h"
#include "cloud-server/rollout/new_release.h"
#include "cloud-server/rollout/rollout.h"
#include "policy/gate/gate.h"
#include "policy/stage/plan.h"

namespace ferry::server {
namespace {

Result<PreviewAsk> ReadPreview(const Call& call) {
  PreviewAsk ask;
  FERRY_ASSIGN_OR_RETURN(std::string rule, GetStringOr(call.body, "rule", ""));
  FERRY_ASSIGN_OR_RETURN(ask.salt, GetStringOr(call.body, "salt", ""));
  FERRY_ASSIGN_OR_RETURN(const Json* stages, GetArrayOrNull(call.body, "stages"));
  FERRY_ASSIGN_OR_RETURN(const bool trusted_only, GetBoolOr(call.body, "trusted_only", false));
  if (call.who.groups) rule = LimitRule(rule, *call.who.groups);
  ask.plan = {{"rule", rule}};
  if (trusted_only) ask.plan["trusted_only"] = true;
  if (stages != nullptr) ask.plan["stages"] = *stages;
  FERRY_ASSIGN_OR_RETURN(const int64_t limit, call.QueryInt("limit", list::kDefaultLimit));
  ask.limit = static_cast<size_t>(std::clamp<int64_t>(limit, 1, list::kMaxLimit));
  ask.devices_after = call.Query("devices_after");
  ask.outside_after = call.Query("outside_after");
  ask.each_device = [&fleet = call.fleet](const PreviewAsk::OneDevice& one) {
    return fleet.Look([&](const fleet::Devices& devices) {
      for (const auto& device : devices) one(*device, device->blocked);
      return OkStatus();
    });
  };
  return ask;
}

Result<Json> PreviewRelease(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const PreviewAsk ask, ReadPreview(call));
  FERRY_ASSIGN_OR_RETURN(const Preview preview, call.admin.rollout->PreviewOf(ask));
  Json rows = Json::array();
  for (size_t i = 0; i < preview.stages.size(); ++i) {
    const Preview::Stage& stage = preview.stages[i];
    rows.push_back({{"index", i},
                    {"name", stage.name},
                    {"kind", stage.kind},
                    {"planned", stage.planned},
                    {"adds", stage.adds}});
  }
  Json outside = Json::array();
  for (const Preview::Outside& row : preview.outside)
    outside.push_back({{"device", row.device}, {"why", row.why}});
  return Json{
      {"salt", preview.salt},
      {"matched", preview.matched},
      {"left_out", preview.left_out},
      {"devices", preview.devices},
      {"next_device", preview.more_devices ? Json(preview.devices.back()) : Json()},
      {"stages", std::move(rows)},
      {"outside", std::move(outside)},
      {"next_outside", preview.more_outside ? Json(preview.outside.back().device) : Json()}};
}

// What a release gets that says nothing of its own: console and command line begin with it.
Result<Json> DefaultPlan(const Call&) {
  stage::Plan plan;
  plan.rule_text = "all";
  plan.stages = stage::DefaultStages();
  Json json = stage::PlanToJson(plan);
  json["gate"] = gate::SettingsToJson(gate::Settings());
  return json;
}

}  // namespace

void Add_preview(Routes& routes) {
  routes.Add("GET", "/api/v1/releases/default-plan", DefaultPlan);
  routes.Add("POST", "/api/v1/releases/preview", PreviewRelease);
}

}  // namespace ferry::server
