#include "policy/gate/simulation/fleet.h"

#include <algorithm>
#include <cmath>

namespace ferry::gate {
namespace {

// The slice of each kind that the device is in, and its rate: the highest of them.
void Place(const Scenario& scenario, Dice& dice, SimulatedDevice& device) {
  std::map<std::string, double> spots;  // kind -> where the device stands, [0, 1)
  std::optional<double> rate;
  for (size_t k = 0; k < scenario.slices.size(); ++k) {
    const SimulatedSlice& slice = scenario.slices[k];
    const std::string kind = slice.name.substr(0, slice.name.find('='));
    auto [spot, fresh] = spots.try_emplace(kind, 0);
    if (fresh) spot->second = dice.Uniform();
    const bool is_in = spot->second >= 0 && spot->second < slice.share;
    spot->second -= slice.share;
    if (!is_in) continue;
    device.slices.push_back(k + 1);
    if (slice.rate) rate = std::max(rate.value_or(0), *slice.rate);
  }
  device.rate = rate.value_or(scenario.rate);
}

}  // namespace

Dice::Dice(uint64_t seed, int64_t run) {
  constexpr uint64_t kOddStep = 0x9E3779B97F4A7C15u;  // seeds of neighbouring runs lie far apart
  engine_.seed((seed + 1) * kOddStep + static_cast<uint64_t>(run) * (kOddStep >> 7 | 1));
}

double Dice::Uniform() {
  constexpr int kSpareBits = 11;  // a double holds 53
  return std::ldexp(static_cast<double>(engine_() >> kSpareBits), kSpareBits - 64);
}

int64_t Dice::Delay(int64_t mean_ms, Spread spread) {
  const auto mean = static_cast<double>(mean_ms);
  if (spread == Spread::kUniform) return std::llround(mean * (0.5 + Uniform()));
  if (spread == Spread::kExponential) return std::llround(-mean * std::log1p(-Uniform()));
  return mean_ms;
}

Fleet::Fleet(const Scenario& scenario, Dice& dice) {
  slices_.push_back(kAllSlice);
  for (const SimulatedSlice& slice : scenario.slices) slices_.push_back(slice.name);
  devices.resize(static_cast<size_t>(scenario.devices));
  for (SimulatedDevice& device : devices) {
    device.bucket = 100 * dice.Uniform();
    device.control_bucket = 100 * dice.Uniform();
    device.slices.push_back(0);
    Place(scenario, dice, device);
  }
}

void Fleet::Enter(const SimulatedStage& stage) {
  StageCohort cohort;
  cohort.stage = stage.name;
  cohort.control_share = stage.control_percent / 100;
  for (size_t k = 0; k < slices_.size(); ++k) {
    SliceCounts counts;
    counts.slice = slices_[k];
    counts.first_seen = static_cast<int64_t>(k);
    cohort.slices.push_back(std::move(counts));
  }
  cohorts.push_back(std::move(cohort));
}

void Fleet::Count(SimulatedDevice& device, const Counts& counted) {
  for (const size_t slice : device.slices) {
    SliceCounts& row = cohorts[device.stage].slices[slice];
    Counts& counts = device.control ? row.control : row.treated;
    AddCounts(counts, device.counted, -1);
    AddCounts(counts, counted, 1);
  }
  device.counted = counted;
}

void Fleet::Exclude(const std::string& slice) {
  const auto found = std::find(slices_.begin(), slices_.end(), slice);
  const auto index = static_cast<size_t>(found - slices_.begin());
  for (SimulatedDevice& device : devices) {
    if (std::find(device.slices.begin(), device.slices.end(), index) == device.slices.end())
      continue;
    if (device.taken) Count(device, {});
    device.excluded = true;
  }
}

}  // namespace ferry::gate
