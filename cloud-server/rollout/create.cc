#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/new_release.h"
#include "cloud-server/rollout/plan.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/rows.h"
#include "common/base/bytes.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

bool IsUnderWay(ReleaseState state) {
  return state == ReleaseState::kDraft || state == ReleaseState::kSimulating ||
         state == ReleaseState::kPaused ||
         (TakesDevices(state) && state != ReleaseState::kComplete);
}

// No second release of a package at once, and none below a version that devices got.
Status CheckOthers(Transaction& tx, const PackageRow& package) {
  FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
  for (const ReleaseRow& other : releases) {
    if (other.package != package.name) continue;
    if (IsUnderWay(other.state))
      return Status::Of(Code::kFailedPrecondition,
                        "release {} of {} is {}: finish it or roll it back first", other.id,
                        package.name, NameOf(other.state));
    // What was taken back from devices, or never came to them, is in nobody's way.
    const bool stands = other.state == ReleaseState::kComplete ||
                        other.state == ReleaseState::kSuperseded ||
                        other.state == ReleaseState::kKilled;
    if (stands && other.release_counter > package.release_counter)
      return Status::Of(Code::kFailedPrecondition,
                        "{} {} is older than {}, which release {} gave to devices", package.name,
                        package.version, other.version, other.id);
  }
  return OkStatus();
}

// A version that devices had and that was taken back from them goes out again only on purpose.
Status CheckNotTakenBack(Transaction& tx, const PackageRow& package) {
  FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
  for (const ReleaseRow& other : releases) {
    if (other.package != package.name || other.version != package.version) continue;
    const bool taken_back = other.state == ReleaseState::kRollingBack ||
                            other.state == ReleaseState::kRolledBack ||
                            other.state == ReleaseState::kStopped;
    if (!taken_back) continue;
    FERRY_ASSIGN_OR_RETURN(const Tallies tallies, tx.releases().TalliesOf(other.id));
    if (TotalOf(tallies).members() == 0) continue;
    return Status::Of(Code::kFailedPrecondition,
                      "{} {} is {} in release {}: {}; \"again\" releases it all the same",
                      package.name, package.version, NameOf(other.state), other.id, other.reason);
  }
  return OkStatus();
}

Status CheckExclusive(Transaction& tx, const NewRelease& from) {
  if (from.exclusive.size() > kMaxExclusive)
    return Status::Of(Code::kLimitExceeded, "more than {} exclusive files", kMaxExclusive);
  for (const ExclusiveRow& row : from.exclusive) {
    FERRY_ASSIGN_OR_RETURN(ArtefactRow artefact, tx.packages().Artefact(row.path));
    if (artefact.kind != "exclusive" || artefact.package != from.package ||
        artefact.version != from.version)
      return Status::Of(Code::kInvalidArgument, "{} is no exclusive file of {} {}", row.path,
                        from.package, from.version);
    FERRY_TRY(tx.devices().Get(row.device));
  }
  return OkStatus();
}

// A large fleet hears of a version little by little, unless the plan says how fast.
Status CompleteRate(Transaction& tx, const std::string& tenant, stage::Plan* plan) {
  if (plan->rate) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const int64_t devices, tx.devices().CountInProfiles(tenant));
  if (devices > stage::kLargeFleet) plan->rate = stage::LargeFleetRate();
  return OkStatus();
}

}  // namespace

Result<stage::Plan> CompletePlan(const Json& plan_json) {
  Json json = plan_json.is_null() ? Json::object() : plan_json;
  if (!json.is_object()) return Status(Code::kMalformed, "a plan is no object");
  if (!json.contains("rule") || json["rule"] == "") json["rule"] = "all";
  const bool defaults = !json.contains("stages") || json["stages"].is_null();
  if (defaults) json["stages"] = Json::array();
  if (defaults) {
    stage::Plan with_defaults;
    with_defaults.stages = stage::DefaultStages();
    Json written = stage::PlanToJson(with_defaults);
    json["stages"] = written["stages"];
  }
  FERRY_ASSIGN_OR_RETURN(stage::Plan plan, stage::PlanFromJson(json));
  FERRY_TRY(stage::CheckPlan(plan));
  return plan;
}

std::string Rollout::DrawSalt() {
  std::array<uint8_t, 8> salt;
  options_.random->Fill(salt);
  return ToHex(salt);
}

Result<ReleaseRow> Rollout::Create(const NewRelease& from) {
  ReleaseRow release;
  FERRY_ASSIGN_OR_RETURN(stage::Plan plan, CompletePlan(from.plan));
  FERRY_ASSIGN_OR_RETURN(
      gate::Settings settings,
      gate::SettingsFromJson(from.settings.is_null() ? Json::object() : from.settings));
  release.settings_json = WriteJson(gate::SettingsToJson(settings));
  release.salt = from.salt.empty() ? DrawSalt() : from.salt;
  release.tenant = options_.tenant;
  release.package = from.package;
  release.version = from.version;
  release.created_ms = options_.clock->NowUnixMs();
  FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(PackageRow package, tx.packages().Get(from.package, from.version));
    FERRY_TRY(CheckOthers(tx, package));
    if (!from.again) FERRY_TRY(CheckNotTakenBack(tx, package));
    FERRY_TRY(CheckExclusive(tx, from));
    FERRY_TRY(CompleteRate(tx, options_.tenant, &plan));
    release.plan_json = WriteJson(stage::PlanToJson(plan));
    FERRY_ASSIGN_OR_RETURN(release.number, tx.releases().NextNumber());
    release.id = fmt::format("{}-{}-{}", package.name, package.version, release.number);
    release.release_counter = package.release_counter;
    release.fallback_version = package.fallback_version;
    release.reason = "not started";
    FERRY_TRY(CheckRelease(release));
    FERRY_TRY(tx.releases().Put(release));
    for (size_t i = 0; i < plan.stages.size(); ++i)
      FERRY_TRY(tx.releases().PutStage({release.id, static_cast<int64_t>(i)}));
    for (ExclusiveRow row : from.exclusive) {
      row.release = release.id;
      FERRY_TRY(tx.releases().PutExclusive(row));
    }
    EventRow event{release.id, 1, release.created_ms, "created", "", "{}"};
    event.text = fmt::format("{} {} under: {}", release.package, release.version, plan.rule_text);
    if (plan.rate && plan.rate->per_minute < stage::kMaxPerMinute)
      event.text += fmt::format("; {} new devices a minute at first", plan.rate->per_minute);
    FERRY_TRY(tx.releases().AddEvent(event));
    FERRY_ASSIGN_OR_RETURN(release, tx.releases().Get(release.id));
    if (from.along) FERRY_TRY(from.along(tx, release));
    return OkStatus();
  }));
  NoteChange();
  return release;
}

}  // namespace ferry::server
