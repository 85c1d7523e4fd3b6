// ferry gate: what the gates would do.
#include "policy/gate/simulation/simulate.h"

#include <charconv>

#include "common/sys/filesystem.h"
#include "policy/stage/plan.h"
#include "tools/ferry/command.h"
#include "tools/ferry/remote/stages.h"

namespace ferry::cli {
namespace {

constexpr uint64_t kMaxSettingsFile = 1 << 20;

struct SimulateOptions {
  gate::Scenario scenario;
  double control_percent = 0;
  double beta_percent = 1;  // of the fleet, for the beta stages of --stages
  std::string spread = "fixed";
  std::string stages_file, settings_file;
  std::vector<std::string> slices;
};

Result<double> NumberFrom(std::string_view text, std::string_view of) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return Status::Of(Code::kInvalidArgument, "--slices {}: \"{}\" is no number", of, text);
}

// "os=ios:0.3:0.2": name, share of the fleet, and what share of it fails (without: --rate).
Result<gate::SimulatedSlice> SliceFrom(const std::string& text) {
  gate::SimulatedSlice out;
  const size_t first = text.find(':');
  if (first == std::string::npos)
    return Status::Of(Code::kInvalidArgument, "--slices {}: wanted os=ios:SHARE[:RATE]", text);
  const size_t second = text.find(':', first + 1);
  out.name = text.substr(0, first);
  FERRY_ASSIGN_OR_RETURN(
      out.share, NumberFrom(std::string_view(text).substr(first + 1, second - first - 1), text));
  if (second != std::string::npos) {
    FERRY_ASSIGN_OR_RETURN(out.rate, NumberFrom(std::string_view(text).substr(second + 1), text));
  }
  return out;
}

// A plan's stages as the simulation has them: beta devices are a part of the fleet, and the
// packaged task's own simulation reaches no device.
Result<std::vector<gate::SimulatedStage>> StagesFromFile(const SimulateOptions& options) {
  StageFlags flags;
  flags.file = options.stages_file;
  FERRY_ASSIGN_OR_RETURN(Json stages, StagesFrom(flags));
  FERRY_ASSIGN_OR_RETURN(const stage::Plan plan,
                         stage::PlanFromJson({{"rule", "percent(100)"}, {"stages", stages}}));
  std::vector<gate::SimulatedStage> out;
  double before = 0;
  for (const stage::Stage& stage : plan.stages) {
    if (stage.kind == stage::Kind::kSimulation) continue;
    gate::SimulatedStage next;
    next.name = stage.name;
    next.percent = 100;
    if (stage.kind == stage::Kind::kBeta) next.percent = options.beta_percent;
    if (stage.kind == stage::Kind::kGray)
      next.percent = static_cast<double>(stage.share) / target::kOnePercent;
    next.percent = before = std::max(before, next.percent);
    next.min_healthy_ms = stage.min_healthy_ms;
    next.report_timeout_ms = stage.report_timeout_ms;
    next.min_reports = stage.min_reports;
    next.control_percent = static_cast<double>(stage.control) / target::kOnePercent;
    out.push_back(std::move(next));
  }
  return out;
}

Result<gate::Scenario> ScenarioFrom(const SimulateOptions& options) {
  gate::Scenario out = options.scenario;
  if (options.spread == "uniform") out.spread = gate::Spread::kUniform;
  if (options.spread == "exponential") out.spread = gate::Spread::kExponential;
  for (const std::string& text : options.slices) {
    FERRY_ASSIGN_OR_RETURN(gate::SimulatedSlice slice, SliceFrom(text));
    out.slices.push_back(std::move(slice));
  }
  if (!options.stages_file.empty()) {
    FERRY_ASSIGN_OR_RETURN(out.stages, StagesFromFile(options));
  }
  if (!options.settings_file.empty()) {
    FERRY_ASSIGN_OR_RETURN(
        const Bytes text,
        sys::ReadFile(sys::SystemFileSystem(), options.settings_file, kMaxSettingsFile));
    auto json = ParseJson(AsText(text)).Context("{}", options.settings_file);
    FERRY_ASSIGN_OR_RETURN(const Json settings, std::move(json));
    auto read = gate::SettingsFromJson(settings).Context("{}", options.settings_file);
    FERRY_ASSIGN_OR_RETURN(out.settings, std::move(read));
  }
  if (options.control_percent > 0) {
    out.stages = gate::StagesOf(out);
    for (gate::SimulatedStage& stage : out.stages) stage.control_percent = options.control_percent;
  }
  FERRY_TRY(gate::CheckScenario(out));
  return out;
}

Json ResultToJson(const gate::Scenario& scenario, const gate::SimulationResult& result) {
  Json by = Json::object(), slices = Json::object();
  for (const auto& [gate, runs] : result.stopped_by) by[gate] = runs;
  for (const auto& [slice, runs] : result.stopped_slices) slices[slice] = runs;
  Json out = {{"runs", result.runs},
              {"stopped", result.stopped},
              {"median_devices", nullptr},
              {"p90_devices", nullptr},
              {"median_ms", nullptr},
              {"decisions",
               {{"stopped", result.stopped}, {"complete", result.complete}, {"open", result.open}}},
              {"stopped_by", std::move(by)},
              {"stopped_slices", std::move(slices)},
              {"rate", scenario.rate},
              {"tolerated_rate", scenario.settings.tolerated_rate},
              {"devices", scenario.devices},
              {"seed", scenario.seed}};
  if (result.stopped > 0) {
    out["median_devices"] = result.median_devices;
    out["p90_devices"] = result.p90_devices;
    out["median_ms"] = result.median_ms;
  }
  return out;
}

std::string ResultText(const gate::Scenario& scenario, const gate::SimulationResult& result) {
  std::string out =
      fmt::format("{} runs, {} devices, {:.4g}% fail, {:.4g}% tolerated\n", result.runs,
                  scenario.devices, 100 * scenario.rate, 100 * scenario.settings.tolerated_rate);
  const auto row = [&](std::string_view name, int64_t value) {
    out += fmt::format("  {:<32} {:>9}\n", name, value);
  };
  row("stopped", result.stopped);
  for (const auto& [gate, runs] : result.stopped_by) row("  by gate " + gate, runs);
  if (result.stopped > 0) {
    row("  devices reached, median", result.median_devices);
    row("  devices reached, 9 of 10", result.p90_devices);
    row("  seconds, median", result.median_ms / 1000);
  }
  row("complete", result.complete);
  row("open: a stage never passed", result.open);
  for (const auto& [slice, runs] : result.stopped_slices) row("slice alone: " + slice, runs);
  return out;
}

Result<Output> SimulateGates(const SimulateOptions& options) {
  FERRY_ASSIGN_OR_RETURN(const gate::Scenario scenario, ScenarioFrom(options));
  const gate::SimulationResult result = gate::Simulate(scenario);
  return Output{ResultToJson(scenario, result), ResultText(scenario, result)};
}

void AddSimulate(Commands& commands, CLI::App* group) {
  const auto options = std::make_shared<SimulateOptions>();
  gate::Scenario& scenario = options->scenario;
  CLI::App* simulate =
      commands.Add(group, "simulate", "how often and how soon the gates stop simulated releases",
                   "ferry gate simulate --rate 0.05 --stages stages.json --slices os=ios:0.3:0.2",
                   [options](const GlobalOptions&) { return SimulateGates(*options); });
  const auto number = [&](const char* name, auto& value, const char* what) {
    simulate->add_option(name, value, what)->capture_default_str();
  };
  number("--rate", scenario.rate, "share of devices with the release that fail");
  number("--tolerated", scenario.settings.tolerated_rate, "share that may fail");
  number("--alpha", scenario.settings.alpha, "chance that a good release is ever stopped");
  number("--control", options->control_percent, "percent of each stage that is held back");
  number("--control-rate", scenario.control_rate, "share of those held back that fail");
  number("--silent", scenario.silent, "share of the failures that say nothing");
  number("--devices", scenario.devices, "of the fleet");
  number("--runs", scenario.runs, "releases");
  number("--fail-after", scenario.fail_after_ms, "milliseconds until a failure is reported");
  number("--succeed-after", scenario.succeed_after_ms, "until a success is");
  number("--arrive", scenario.arrive_ms, "milliseconds between two devices that ask");
  number("--look", scenario.look_ms, "milliseconds between two looks of the gates");
  number("--seed", scenario.seed, "of everything random");
  number("--beta", options->beta_percent, "percent of the fleet in beta stages");
  simulate->add_option("--spread", options->spread, "of both delays")
      ->check(CLI::IsMember({"fixed", "uniform", "exponential"}))
      ->capture_default_str();
  simulate->add_option("--slices", options->slices, "os=ios:SHARE[:RATE], several");
  simulate->add_option("--stages", options->stages_file, "stages of a release (JSON)");
  simulate->add_option("--settings", options->settings_file, "settings of the gates (JSON)");
}

}  // namespace

void AddGateCommand(Commands& commands) {
  CLI::App* group = commands.Group("gate", "what stops a release");
  AddSimulate(commands, group);
}

}  // namespace ferry::cli
