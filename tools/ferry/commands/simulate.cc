// ferry simulate: a fleet and its server in one process, in virtual time.
#include <charconv>
#include <csignal>

#include "common/base/json.h"
#include "common/base/log.h"
#include "common/sys/filesystem.h"
#include "policy/stage/plan.h"
#include "tools/ferry/command.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/remote/fleet_of.h"
#include "tools/ferry/signals.h"
#include "tools/fleetsim/fleetsim.h"
#include "tools/fleetsim/shrink.h"

namespace ferry::cli {
namespace {

constexpr uint64_t kMaxScenarioFile = 4 << 20;
constexpr int kMaxSimulationThreads = 64;

struct SimulateFlags {
  std::optional<int64_t> devices, agents;
  uint64_t seed = 1;
  std::string scenario_file, faults = "standard", replay, svg_file, plan_file, fleet_of;
  int threads = 1;
  std::vector<std::string> plants;
};

// The operator's own plan for the last release, as `ferry release start` takes it in its parts.
Status TakePlan(const std::string& file, fleetsim::Scenario* scenario) {
  FERRY_ASSIGN_OR_RETURN(const Bytes text,
                         sys::ReadFile(sys::SystemFileSystem(), file, kMaxScenarioFile));
  auto json = ParseJson(AsText(text)).Context("{}", file);
  FERRY_ASSIGN_OR_RETURN(Json plan, std::move(json));
  if (plan.is_object() && !plan.contains("rule")) plan["rule"] = "all";
  auto read = stage::PlanFromJson(plan).Context("{}", file);
  FERRY_ASSIGN_OR_RETURN(const stage::Plan checked, std::move(read));
  FERRY_TRY(stage::CheckPlan(checked).Context("{}", file));
  if (scenario->releases.empty())
    return Status(Code::kInvalidArgument, "--plan: the scenario has no release");
  scenario->releases.back().plan = std::move(plan);
  return OkStatus();
}

// Profiles, shares and size of the fleet of a running server.
Status TakeFleet(const std::string& server, GlobalOptions global, fleetsim::Scenario* scenario) {
  global.server = server;
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_ASSIGN_OR_RETURN(ServerFleet fleet, FleetOf(api));
  scenario->profiles = std::move(fleet.profiles);
  scenario->devices = std::min(fleet.devices, fleetsim::kMaxDevices);
  return OkStatus();
}

Result<fleetsim::Scenario> ScenarioOf(const SimulateFlags& flags, const GlobalOptions& global) {
  fleetsim::Scenario scenario = fleetsim::DefaultScenario();
  if (!flags.scenario_file.empty()) {
    FERRY_ASSIGN_OR_RETURN(const Bytes text, sys::ReadFile(sys::SystemFileSystem(),
                                                           flags.scenario_file, kMaxScenarioFile));
    auto read = fleetsim::ScenarioFromText(AsText(text)).Context("{}", flags.scenario_file);
    FERRY_ASSIGN_OR_RETURN(scenario, std::move(read));
  }
  if (!flags.fleet_of.empty()) FERRY_TRY(TakeFleet(flags.fleet_of, global, &scenario));
  if (!flags.plan_file.empty()) FERRY_TRY(TakePlan(flags.plan_file, &scenario));
  if (flags.devices) scenario.devices = *flags.devices;
  if (flags.agents) scenario.agents = *flags.agents;
  scenario.agents = std::min(scenario.agents, scenario.devices);
  return scenario;
}

// "7:1234": seed and event.
Status ReadReplay(const std::string& text, fleetsim::Options* options) {
  const size_t colon = text.find(':');
  uint64_t event = 0;
  const char* end = text.data() + text.size();
  const auto number = [](const char* from, const char* to, uint64_t* value) {
    const auto [at, error] = std::from_chars(from, to, *value);
    return error == std::errc() && at == to && from != to;
  };
  if (colon == std::string::npos || !number(text.data(), text.data() + colon, &options->seed) ||
      !number(text.data() + colon + 1, end, &event))
    return Status::Of(Code::kInvalidArgument, "--replay {}: wanted SEED:EVENT", text);
  options->stop_event = event;
  return OkStatus();
}

Result<fleetsim::Options> OptionsOf(const SimulateFlags& flags, const GlobalOptions& global) {
  fleetsim::Options options;
  FERRY_ASSIGN_OR_RETURN(options.scenario, ScenarioOf(flags, global));
  options.seed = flags.seed;
  if (flags.faults == "none") options.faults = fleetsim::FaultLevel::kNone;
  if (flags.faults == "harsh") options.faults = fleetsim::FaultLevel::kHarsh;
  options.threads = flags.threads;
  options.plants = {flags.plants.begin(), flags.plants.end()};
  if (!flags.replay.empty()) FERRY_TRY(ReadReplay(flags.replay, &options));
  return options;
}

Result<Output> SimulateFleet(const SimulateFlags& flags, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(fleetsim::Options options, OptionsOf(flags, global));
  // What the parts say of simulated trouble is no trouble of this program.
  if (std::getenv("FERRY_LOG") == nullptr) SetLogLevel(LogLevel::kOff);
  FERRY_ASSIGN_OR_RETURN(const auto signals, Signals::Catch({SIGINT, SIGTERM}));
  options.stop = [&] { return signals->count() > 0; };
  Progress progress("simulating");
  options.progress = [&](const fleetsim::Options::Progress& at) {
    progress.Say(fmt::format("{:.1f} h, {} events, {} offered, {} confirmed",
                             static_cast<double>(at.virtual_ms) / fleetsim::kHourMs, at.events,
                             at.offered, at.confirmed));
  };
  FERRY_ASSIGN_OR_RETURN(fleetsim::Outcome outcome, fleetsim::Simulate(options));
  if (!outcome.violations.empty() && !options.stop_event) {
    progress.Say("shrinking the scenario");
    outcome.shrunk = fleetsim::ScenarioToText(
        fleetsim::Shrink(options, outcome.violations.front().invariant, fleetsim::kShrinkMs));
  }
  if (!flags.svg_file.empty())
    FERRY_TRY(sys::WriteFileAtomically(sys::SystemFileSystem(), flags.svg_file,
                                       AsBytes(fleetsim::OutcomeToSvg(outcome))));
  Output output(fleetsim::OutcomeToJson(outcome), fleetsim::OutcomeToText(outcome));
  output.exit = outcome.violations.empty() && outcome.unmet.empty() ? 0 : 1;
  return output;
}

}  // namespace

void AddSimulateCommand(Commands& commands) {
  const auto flags = std::make_shared<SimulateFlags>();
  CLI::App* simulate =
      commands.Add(nullptr, "simulate", "a fleet, its server and what goes wrong, in virtual time",
                   "ferry simulate --devices 500 --agents 5 --faults harsh --seed 7",
                   [flags](const GlobalOptions& global) { return SimulateFleet(*flags, global); });
  simulate->add_option("--devices", flags->devices, "in the fleet (10000)")
      ->check(CLI::Range(int64_t{1}, fleetsim::kMaxDevices));
  simulate->add_option("--agents", flags->agents, "of them whole agents (200)")
      ->check(CLI::Range(0, 10'000));
  simulate->add_option("--seed", flags->seed, "of everything random")->capture_default_str();
  simulate->add_option("--scenario", flags->scenario_file, "what happens (JSON)");
  simulate->add_option("--faults", flags->faults, "what goes wrong")
      ->check(CLI::IsMember({"none", "standard", "harsh"}))
      ->capture_default_str();
  simulate->add_option("--threads", flags->threads, "the outcome does not depend on it")
      ->check(CLI::Range(1, kMaxSimulationThreads))
      ->capture_default_str();
  simulate->add_option("--replay", flags->replay, "SEED:EVENT: ends behind that event");
  simulate->add_option("--plan", flags->plan_file, "of the last release (JSON: rule, stages, ..)");
  simulate->add_option("--fleet-of", flags->fleet_of,
                       "URL of a server whose devices' profiles and shares are taken");
  commands.AddTrust(simulate);
  simulate->add_option("--svg", flags->svg_file, "writes the curve of the last release there");
#ifdef FERRY_PLANTS
  simulate->add_option("--plant", flags->plants, "a bug to put in");
#endif
}

}  // namespace ferry::cli
