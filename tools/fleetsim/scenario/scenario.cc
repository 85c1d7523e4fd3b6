#include "tools/fleetsim/scenario/scenario.h"

#include <cmath>

#include "policy/gate/settings.h"
#include "policy/stage/plan.h"
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/scenario/reader.h"

namespace ferry::fleetsim {
namespace {

constexpr double kMaxHours = 24 * 365;
constexpr double kShareSlack = 1e-6;  // shares are written in decimals

const std::vector<std::string>& ActNames() {
  static const std::vector<std::string> kNames = {"pause",    "resume", "promote",
                                                  "rollback", "halt",   "kill"};
  return kNames;
}

int64_t Milliseconds(double minutes) {
  return std::llround(minutes * kMinuteMs);
}

Result<Profile> ProfileFrom(const Json& json, const ScenarioText& at) {
  Profile out;
  ObjectReader reader(json, at);
  reader.Number("share", 0, 1, &out.share);
  reader.Text("os", &out.os);
  reader.Text("app_version", &out.app_version);
  reader.Text("device_class", &out.device_class);
  reader.Texts("tags", &out.tags);
  reader.Whole("utc_offset_minutes", -24 * 60, 24 * 60, &out.utc_offset_minutes);
  reader.Whole("online_from", 0, 24, &out.online_from);
  reader.Whole("online_to", 0, 24, &out.online_to);
  reader.Whole("latency_ms", 0, 60'000, &out.latency_ms);
  reader.Whole("kbit_s", 1, 100'000'000, &out.kbit_s);
  reader.Flag("push", &out.push);
  reader.Whole("poll_minutes", 1, 24 * 60, &out.poll_minutes);
  FERRY_TRY(reader.Finish());
  return out;
}

Result<Act> ActFrom(const Json& json, const ScenarioText& at) {
  Act out;
  double minutes = 0;
  size_t kind = 0;
  ObjectReader reader(json, at);
  reader.Number("at_minutes", 0, kMaxHours * 60, &minutes);
  reader.Choice("do", ActNames(), &kind);
  FERRY_TRY(reader.Finish());
  out.at_ms = Milliseconds(minutes);
  out.kind = static_cast<Act::Kind>(kind);
  return out;
}

// Plan and settings are read as the server reads them; their own errors stand where they begin.
Status CheckPolicy(const ReleasePlan& release, const ScenarioText& at) {
  if (!release.plan.is_null()) {
    Json plan = release.plan;
    if (plan.is_object() && !plan.contains("rule")) plan["rule"] = "all";
    const Result<stage::Plan> read = stage::PlanFromJson(plan);
    if (!read.ok()) return at.Below("plan").Wrong(std::string(read.status().message()));
    const Status fits = stage::CheckPlan(*read);
    if (!fits.ok()) return at.Below("plan").Wrong(std::string(fits.message()));
  }
  if (release.settings.is_null()) return OkStatus();
  const Result<gate::Settings> read = gate::SettingsFromJson(release.settings);
  return read.ok() ? OkStatus() : at.Below("settings").Wrong(std::string(read.status().message()));
}

Result<ReleasePlan> ReleaseFrom(const Json& json, const ScenarioText& at) {
  ReleasePlan out;
  double minutes = 0;
  ObjectReader reader(json, at);
  reader.Text("version", &out.version);
  reader.Text("fallback", &out.fallback);
  reader.Number("at_minutes", 0, kMaxHours * 60, &minutes);
  if (const Json* plan = reader.Value("plan")) out.plan = *plan;
  if (const Json* settings = reader.Value("settings")) out.settings = *settings;
  reader.Whole("bytes", 1, int64_t{1} << 40, &out.bytes);
  reader.Flag("fails_simulation", &out.fails_simulation);
  reader.Objects("acts", [&](const Json& act, const ScenarioText& where) -> Status {
    FERRY_ASSIGN_OR_RETURN(out.acts.emplace_back(), ActFrom(act, where));
    return OkStatus();
  });
  FERRY_TRY(reader.Finish());
  out.at_ms = Milliseconds(minutes);
  if (out.version.empty()) return at.Wrong("a release needs \"version\"");
  FERRY_TRY(CheckPolicy(out, at));
  return out;
}

Result<Truth> TruthFrom(const Json& json, const ScenarioText& at) {
  Truth out;
  double seconds = 60;
  ObjectReader reader(json, at);
  reader.Text("version", &out.version);
  reader.Text("slice", &out.slice);
  reader.Number("fails", 0, 1, &out.fails);
  reader.Number("silent", 0, 1, &out.silent);
  reader.Number("after_s", 0, 1e6, &seconds);
  reader.Number("latency_ms", 0, 1e9, &out.latency_ms);
  FERRY_TRY(reader.Finish());
  out.after_ms = std::llround(seconds * 1000);
  return out;
}

Result<Expectation> ExpectationFrom(const Json& json, const ScenarioText& at) {
  Expectation out;
  ObjectReader reader(json, at);
  reader.Text("version", &out.version);
  reader.Texts("states", &out.states);
  reader.Whole("offered_at_most", 0, kMaxDevices, &out.offered_at_most);
  reader.Whole("offered_at_least", 0, kMaxDevices, &out.offered_at_least);
  reader.Text("stopped_slice", &out.stopped_slice);
  FERRY_TRY(reader.Finish());
  return out;
}

Status CheckFaults(const Json& faults, const ScenarioText& at, Scenario* out) {
  if (!faults.is_object()) return at.Wrong("wanted an object of rates by fault");
  for (const auto& [name, rate] : faults.items()) {
    const Fault* fault = FaultCalled(name);
    if (fault == nullptr)
      return at.Below(name).Wrong(fmt::format("no fault is called \"{}\"", name), true);
    const double most = IsShare(*fault) ? 1 : kMaxHourlyFaults;
    if (!rate.is_number() || !(rate.get<double>() >= 0 && rate.get<double>() <= most))
      return at.Below(name).Wrong(fmt::format("{}: wanted a rate from 0 to {}", name, most));
    out->faults[name] = rate.get<double>();
  }
  return OkStatus();
}

Status CheckWhole(const Scenario& scenario, const ScenarioText& at) {
  double shares = 0;
  for (const Profile& profile : scenario.profiles) shares += profile.share;
  if (shares > 1 + kShareSlack)
    return at.Below("fleet").Wrong(fmt::format("the shares are {} together, at most 1", shares));
  if (scenario.profiles.size() > kMaxProfiles)
    return at.Below("fleet").Wrong(fmt::format("more than {} profiles", kMaxProfiles));
  if (scenario.releases.size() + 1 > kMaxVersions)
    return at.Below("releases").Wrong(fmt::format("more than {} releases", kMaxVersions - 1));
  return OkStatus();
}

}  // namespace

Result<Scenario> ScenarioFromText(std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  Scenario out;
  const ScenarioText at{text, {}};
  ObjectReader reader(json, at);
  reader.Text("name", &out.name);
  reader.Value("about");  // a sentence for people
  reader.Whole("devices", 1, kMaxDevices, &out.devices);
  reader.Whole("agents", 0, 10'000, &out.agents);
  reader.Whole("hours", 1, static_cast<int64_t>(kMaxHours), &out.hours);
  reader.Whole("faults_end_hours", 0, static_cast<int64_t>(kMaxHours), &out.faults_end_hours);
  reader.Text("runs", &out.runs);
  const auto list = [&](const char* name, auto* into, const auto& from) {
    reader.Objects(name, [&](const Json& item, const ScenarioText& where) -> Status {
      FERRY_ASSIGN_OR_RETURN(into->emplace_back(), from(item, where));
      return OkStatus();
    });
  };
  list("fleet", &out.profiles, ProfileFrom);
  list("releases", &out.releases, ReleaseFrom);
  list("truths", &out.truths, TruthFrom);
  list("expects", &out.expects, ExpectationFrom);
  const Json* faults = reader.Value("faults");
  FERRY_TRY(reader.Finish());
  if (faults != nullptr) FERRY_TRY(CheckFaults(*faults, at.Below("faults"), &out));
  if (out.profiles.empty()) out.profiles = DefaultScenario().profiles;
  FERRY_TRY(CheckWhole(out, at));
  return out;
}

Scenario DefaultScenario() {
  Scenario out;
  out.runs = "1.0.0";
  const auto add = [&](double share, const char* os, const char* device_class, int64_t zone,
                       int64_t from, int64_t to, bool push) -> Profile& {
    Profile& profile = out.profiles.emplace_back();
    profile.share = share;
    profile.os = os;
    profile.device_class = device_class;
    profile.utc_offset_minutes = zone;
    profile.online_from = from;
    profile.online_to = to;
    profile.push = push;
    return profile;
  };
  add(0.01, "android", "high", 60, 0, 24, true).tags = {"beta"};
  add(0.04, "android", "high", 480, 6, 24, true);
  add(0.35, "android", "mid", 480, 6, 24, false);
  add(0.25, "android", "low", 330, 7, 23, false).kbit_s = 3'000;
  add(0.25, "ios", "high", -300, 0, 24, false).app_version = "1.5.0";
  add(0.10, "ios", "mid", 60, 8, 22, false).app_version = "1.3.0";
  ReleasePlan release;
  release.version = "2.0.0";
  release.fallback = "1.0.0";
  release.at_ms = kMinuteMs;
  out.releases.push_back(release);
  out.truths.push_back({"2.0.0", "all", 0.002, 0.001, 60'000, 0});
  return out;
}

namespace {

Json ProfileToJson(const Profile& p) {
  return {{"share", p.share},
          {"os", p.os},
          {"app_version", p.app_version},
          {"device_class", p.device_class},
          {"tags", p.tags},
          {"utc_offset_minutes", p.utc_offset_minutes},
          {"online_from", p.online_from},
          {"online_to", p.online_to},
          {"latency_ms", p.latency_ms},
          {"kbit_s", p.kbit_s},
          {"push", p.push},
          {"poll_minutes", p.poll_minutes}};
}

double Minutes(int64_t ms) {
  return static_cast<double>(ms) / kMinuteMs;
}

Json ReleaseToJson(const ReleasePlan& r) {
  Json acts = Json::array();
  for (const Act& act : r.acts)
    acts.push_back(
        {{"at_minutes", Minutes(act.at_ms)}, {"do", ActNames()[static_cast<size_t>(act.kind)]}});
  Json out = {{"version", r.version},
              {"fallback", r.fallback},
              {"at_minutes", Minutes(r.at_ms)},
              {"bytes", r.bytes},
              {"fails_simulation", r.fails_simulation},
              {"acts", std::move(acts)}};
  if (!r.plan.is_null()) out["plan"] = r.plan;
  if (!r.settings.is_null()) out["settings"] = r.settings;
  return out;
}

}  // namespace

std::string ScenarioToText(const Scenario& scenario) {
  Json fleet = Json::array(), releases = Json::array(), truths = Json::array();
  for (const Profile& profile : scenario.profiles) fleet.push_back(ProfileToJson(profile));
  for (const ReleasePlan& release : scenario.releases) releases.push_back(ReleaseToJson(release));
  for (const Truth& t : scenario.truths)
    truths.push_back({{"version", t.version},
                      {"slice", t.slice},
                      {"fails", t.fails},
                      {"silent", t.silent},
                      {"after_s", static_cast<double>(t.after_ms) / 1000},
                      {"latency_ms", t.latency_ms}});
  const Json out = {{"name", scenario.name},
                    {"devices", scenario.devices},
                    {"agents", scenario.agents},
                    {"hours", scenario.hours},
                    {"faults_end_hours", scenario.faults_end_hours},
                    {"runs", scenario.runs},
                    {"fleet", std::move(fleet)},
                    {"releases", std::move(releases)},
                    {"truths", std::move(truths)},
                    {"faults", scenario.faults}};
  return WriteJsonPretty(out);
}

}  // namespace ferry::fleetsim
