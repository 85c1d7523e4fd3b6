// The devices of one simulated run and what a server counts of them. Private to simulation/.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "policy/gate/simulation/simulate.h"

namespace ferry::gate {

// The same numbers on every machine, which the standard library's distributions do not promise.
class Dice {
 public:
  Dice(uint64_t seed, int64_t run);
  double Uniform();  // [0, 1)
  bool Is(double chance) { return Uniform() < chance; }
  int64_t Delay(int64_t mean_ms, Spread spread);

 private:
  std::mt19937_64 engine_;
};

struct SimulatedDevice {
  double bucket = 0;           // in percent: which stages take it
  double control_bucket = 0;   // in percent: whether it is held back
  double rate = 0;             // chance to fail when it is treated
  std::vector<size_t> slices;  // indexes of Fleet's slices; the first is "all"
  size_t stage = 0;            // that took it
  bool taken = false;
  bool control = false;
  bool fails = false;
  bool well = false;      // reported so
  bool soaked = false;    // was watched for the least healthy time of its stage
  bool excluded = false;  // of a slice that was stopped
  Counts counted;         // what it adds to its stage, cohort and slices
};

class Fleet {
 public:
  Fleet(const Scenario& scenario, Dice& dice);

  std::vector<SimulatedDevice> devices;
  std::vector<StageCohort> cohorts;  // of the stages entered so far

  void Enter(const SimulatedStage& stage);
  // The device counts as `counted` from then on.
  void Count(SimulatedDevice& device, const Counts& counted);
  // Takes the slice's devices out of all counts, for good.
  void Exclude(const std::string& slice);

 private:
  std::vector<std::string> slices_;
};

}  // namespace ferry::gate
