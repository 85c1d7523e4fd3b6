// A version's run beside that of the version which devices have, on the same cases. Pure.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/rollout/simulator.h"
#include "common/base/json.h"
#include "common/base/json_fwd.h"
#include "policy/stage/plan.h"

namespace ferry::server {

inline constexpr size_t kMaxListedDifferences = 20;
// Medians that lie closer than this do not fail a stage, whatever their ratio: it is the noise of
// a machine that does other things too.
inline constexpr double kTimeNoiseMs = 1;

struct Comparison {
  std::vector<std::string> complaints;  // of what the stage asks for; empty: it is content
  std::string text;                     // one sentence with the figures of both
  // {"running":{"ms","peak_bytes"},"different":n,"differences":[{"case","was","is"}, ..],
  // "not_compared"?:n,"time_ratio"?,"memory_ratio"?}
  Json numbers;
};

// `was`: the run of `running`, the version that devices have, on the cases of the other. What a
// stage asks for and no run can tell is a complaint too.
Comparison Compare(const stage::Stage& stage, const std::string& running,
                   const SimulationOutcome& was, const SimulationOutcome& is);

// Whether two outputs are equal but for numbers of results that differ by `tolerance` at most.
bool SameOutput(const std::string& was, const std::string& is, double tolerance);

}  // namespace ferry::server
