#include "cloud-server/admin/routes.h"
#include "cloud-server/rollout/rollout.h"

namespace ferry::server {
namespace {

Result<Json> PreviewRelease(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(std::string rule, GetStringOr(call.body, "rule", ""));
  FERRY_ASSIGN_OR_RETURN(std::string salt, GetStringOr(call.body, "salt", ""));
  FERRY_ASSIGN_OR_RETURN(const Json* stages, GetArrayOrNull(call.body, "stages"));
  FERRY_ASSIGN_OR_RETURN(const bool trusted_only, GetBoolOr(call.body, "trusted_only", false));
  if (call.who.groups) rule = LimitRule(rule, *call.who.groups);
  Json plan = {{"rule", rule}};
  if (trusted_only) plan["trusted_only"] = true;
  if (stages != nullptr) plan["stages"] = *stages;
  FERRY_ASSIGN_OR_RETURN(Preview preview, call.admin.rollout->PreviewOf(plan, salt));
  Json rows = Json::array();
  for (size_t i = 0; i < preview.stages.size(); ++i) {
    const Preview::Stage& stage = preview.stages[i];
    rows.push_back({{"index", i},
                    {"name", stage.name},
                    {"kind", stage.kind},
                    {"planned", stage.adds.size()},
                    {"adds", stage.adds}});
  }
  Json outside = Json::array();
  for (const Preview::Outside& row : preview.outside)
    outside.push_back({{"device", row.device}, {"why", row.why}});
  return Json{{"salt", preview.salt},
              {"matched", preview.devices.size()},
              {"devices", preview.devices},
              {"stages", std::move(rows)},
              {"outside", std::move(outside)}};
}

}  // namespace

void Add_preview(Routes& routes) {
  routes.Add("POST", "/api/v1/releases/preview", PreviewRelease);
}

}  // namespace ferry::server
