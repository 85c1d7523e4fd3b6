// When faults strike.
#include <cmath>

#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/small/fleet.h"

namespace ferry::fleetsim {

double Sim::RateOf(const Fault& fault) const {
  const auto given = options_.scenario.faults.find(fault.name);
  if (given != options_.scenario.faults.end()) return given->second;
  if (options_.faults == FaultLevel::kNone) return 0;
  return options_.faults == FaultLevel::kHarsh ? fault.harsh : fault.standard;
}

void Sim::CountFault(const Fault& fault) {
  ++outcome_.faults[fault.name];
}

void Sim::Strike(Strikes at, Moment moment) {
  if (!faults_on_) return;
  for (const StrikingFault& striking : striking_[static_cast<size_t>(at)]) {
    if (random_.NextDouble() >= striking.rate) continue;
    CountFault(*striking.fault);
    striking.fault->apply(moment);
  }
}

// Of those that come by the hour the next one is drawn when one has struck.
void Sim::ScheduleFault(const Fault& fault) {
  double rate = RateOf(fault);
  if (rate <= 0) return;
  const int64_t all = small_->size() + agents_->size();
  if (fault.strikes == Strikes::kDeviceHour) rate *= static_cast<double>(all);
  if (rate <= 0) return;
  const double hours = -std::log(1 - random_.NextDouble()) / rate;
  const auto wait = static_cast<int64_t>(std::min(hours, 1e6) * kHourMs) + 1;
  executor_->PostAfter(wait, [this, &fault, all] {
    if (!faults_on_ || stopped_) return;
    const bool of_device = fault.strikes == Strikes::kDeviceHour;
    const int64_t device =
        of_device ? static_cast<int64_t>(random_.Below(static_cast<uint64_t>(all))) : -1;
    CountFault(fault);
    Note(EventKind::kFault, device);
    Moment moment{*this, device};
    fault.apply(moment);
    ScheduleFault(fault);
  });
}

bool Sim::IsCutOff(int64_t device) const {
  return cut_until_ms_[static_cast<size_t>(device % kParts)] > now_ms();
}

void Sim::CutOff(int64_t part, int64_t until_ms) {
  int64_t& until = cut_until_ms_[static_cast<size_t>(part)];
  until = std::max(until, until_ms);
}

}  // namespace ferry::fleetsim
