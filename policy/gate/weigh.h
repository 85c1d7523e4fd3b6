// The tests behind the failure and metric gates. Private to the room.
#pragma once

#include <string>
#include <vector>

#include "policy/gate/gate.h"

namespace ferry::gate {

// One test: one metric, one slice, the devices from one stage on.
struct Finding {
  std::string stage;  // empty: from the first stage on
  std::string metric;
  std::string slice;
  double log_evidence = 0;
  double log_limit = 0;       // log of 1 over its alpha
  double tolerated_rate = 0;  // 0: there is only the comparison
  bool compared = false;      // with a control cohort
  TwoCohorts counts;          // `good` holds open windows too where that is what speaks
  Decision decision = Decision::kPass;
};

// ---- weigh.cc
std::vector<Finding> WeighFailures(const Settings& settings, const Input& input);
std::vector<Finding> WeighMetrics(const Settings& settings, const Input& input);

// ---- verdict.cc
// In words, without the gate's name.
Verdict VerdictOf(const Finding& finding);

// ---- worst.cc
// The verdict of a gate over its findings: the worst decision, of equals the one that is nearest to
// its limit. Where slices may stop alone, a stop becomes one of the slice that crossed its limit by
// most and holds at most half of the devices, when all other devices together do not stop.
Verdict WorstOf(const Settings& settings, const Input& input, const std::vector<Finding>& findings,
                std::vector<Finding> (*weigh)(const Settings&, const Input&));

// The same numbers without the devices of `slice`, in slice "all" only.
Input Without(const Input& input, const std::string& slice);
// Whether at most half of the exposed devices are of the slice.
bool IsMinority(const Input& input, const std::string& slice);

}  // namespace ferry::gate
