#include "policy/gate/simulation/simulate.h"

#include <algorithm>

namespace ferry::gate {
namespace {

Status CheckNumber(std::string_view what, double value, double least, double most) {
  if (value >= least && value <= most) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "{} {} is not from {} to {}", what, value, least, most);
}

Status CheckStages(const std::vector<SimulatedStage>& stages) {
  double before = 0;
  for (const SimulatedStage& stage : stages) {
    FERRY_TRY(CheckNumber("percent of stage " + stage.name, stage.percent, before, 100));
    FERRY_TRY(CheckNumber("control of stage " + stage.name, stage.control_percent, 0, 99));
    before = stage.percent;
  }
  return OkStatus();
}

Status CheckSlices(const std::vector<SimulatedSlice>& slices) {
  if (slices.size() > kMaxSimulatedSlices)
    return Status::Of(Code::kLimitExceeded, "{} slices, the limit is {}", slices.size(),
                      kMaxSimulatedSlices);
  std::map<std::string, double> shares;
  for (const SimulatedSlice& slice : slices) {
    if (slice.name == kAllSlice || slice.name.find('=') == std::string::npos)
      return Status::Of(Code::kInvalidArgument, "\"{}\" is no slice: os=ios", slice.name);
    FERRY_TRY(CheckNumber("share of " + slice.name, slice.share, 0, 1));
    FERRY_TRY(CheckNumber("rate of " + slice.name, slice.rate.value_or(0), 0, 1));
    const std::string kind = slice.name.substr(0, slice.name.find('='));
    constexpr double kRounding = 1e-9;
    if ((shares[kind] += slice.share) > 1 + kRounding)
      return Status::Of(Code::kInvalidArgument, "the slices of {} are more than the fleet", kind);
  }
  return OkStatus();
}

int64_t Quantile(std::vector<int64_t> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1))];
}

}  // namespace

Status CheckScenario(const Scenario& scenario) {
  FERRY_TRY(CheckNumber("rate", scenario.rate, 0, 1));
  FERRY_TRY(CheckNumber("control rate", scenario.control_rate, 0, 1));
  FERRY_TRY(CheckNumber("silent", scenario.silent, 0, 1));
  const auto number = [](int64_t value) { return static_cast<double>(value); };
  FERRY_TRY(CheckNumber("devices", number(scenario.devices), 1, number(kMaxSimulatedDevices)));
  FERRY_TRY(CheckNumber("runs", number(scenario.runs), 1, number(kMaxSimulatedRuns)));
  const double most_ms = number(kMaxSimulatedMs);
  FERRY_TRY(CheckNumber("fail-after", number(scenario.fail_after_ms), 0, most_ms));
  FERRY_TRY(CheckNumber("succeed-after", number(scenario.succeed_after_ms), 0, most_ms));
  FERRY_TRY(CheckNumber("arrive", number(scenario.arrive_ms), 0, most_ms));
  FERRY_TRY(CheckNumber("look", number(scenario.look_ms), 1, most_ms));
  FERRY_TRY(CheckStages(scenario.stages));
  return CheckSlices(scenario.slices);
}

std::vector<SimulatedStage> StagesOf(const Scenario& scenario) {
  if (!scenario.stages.empty()) return scenario.stages;
  // Of twenty times the mean an exponential delay is longer once in half a billion.
  const int64_t times = scenario.spread == Spread::kExponential ? 20 : 2;
  SimulatedStage stage;
  stage.name = "full";
  stage.min_healthy_ms = times * std::max(scenario.fail_after_ms, scenario.succeed_after_ms) + 1;
  stage.report_timeout_ms = stage.min_healthy_ms;
  return {stage};
}

SimulationResult Simulate(const Scenario& scenario) {
  SimulationResult out;
  out.runs = scenario.runs;
  std::vector<int64_t> devices, times_ms;
  for (int64_t k = 0; k < scenario.runs; ++k) {
    const SimulatedRun run = SimulateRun(scenario, k);
    for (const std::string& slice : run.stopped_slices) ++out.stopped_slices[slice];
    if (!run.stopped) {
      ++(run.complete ? out.complete : out.open);
      continue;
    }
    ++out.stopped;
    ++out.stopped_by[run.gate];
    devices.push_back(run.devices);
    times_ms.push_back(run.ms);
  }
  constexpr double kMedian = 0.5, kMost = 0.9;
  out.median_devices = Quantile(devices, kMedian);
  out.p90_devices = Quantile(devices, kMost);
  out.median_ms = Quantile(times_ms, kMedian);
  return out;
}

}  // namespace ferry::gate
