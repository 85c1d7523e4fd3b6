#include "tools/ferry/remote/stages.h"

#include "common/sys/filesystem.h"
#include "policy/stage/plan.h"

namespace ferry::cli {
namespace {

constexpr uint64_t kMaxStagesFile = 1 << 20;

Result<Json> FromFile(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(Json json, JsonFile(path));
  if (json.is_array()) return json;
  FERRY_ASSIGN_OR_RETURN(const Json* stages, GetArray(json, "stages").Context("{}", path));
  return *stages;
}

Json FromFlags(const StageFlags& flags) {
  Json out = Json::array();
  if (!flags.no_simulation) out.push_back({{"kind", "simulation"}});
  for (const std::string& rule : flags.beta) out.push_back({{"kind", "beta"}, {"who", rule}});
  for (const double percent : flags.gray) out.push_back({{"kind", "gray"}, {"percent", percent}});
  out.push_back({{"kind", "full"}});
  for (Json& stage : out) {
    if (stage["kind"] == "simulation") continue;
    if (flags.min_healthy_s >= 0) {
      stage["min_healthy_ms"] = static_cast<int64_t>(flags.min_healthy_s * 1000);
    }
    if (flags.min_reports >= 0) stage["min_reports"] = flags.min_reports;
  }
  return out;
}

}  // namespace

Result<Json> JsonFile(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes text,
                         sys::ReadFile(sys::SystemFileSystem(), path, kMaxStagesFile));
  return ParseJson(AsText(text)).Context("{}", path);
}

Result<Json> StagesFrom(const StageFlags& flags) {
  const bool has_flags = !flags.beta.empty() || !flags.gray.empty() || flags.min_healthy_s >= 0 ||
                         flags.min_reports >= 0 || flags.no_simulation;
  if (flags.file.empty() && !has_flags) return Json();
  if (!flags.file.empty() && has_flags) {
    return Status(Code::kInvalidArgument, "stages come from --stages or from flags, not from both");
  }
  Json stages = FromFlags(flags);
  if (!flags.file.empty()) {
    FERRY_ASSIGN_OR_RETURN(stages, FromFile(flags.file));
  }
  FERRY_TRY(stage::PlanFromJson({{"rule", "percent(100)"}, {"stages", stages}})
                .Context("{}", flags.file.empty() ? "stages" : flags.file));
  return stages;
}

}  // namespace ferry::cli
