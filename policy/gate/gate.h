// Gates: what lets a release move on, holds it, or stops it. Pure: numbers in, verdicts out. One
// file each under gates/, one row each in gates/list.inc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "policy/gate/input.h"
#include "policy/gate/settings.h"

namespace ferry::gate {

// Ordered by severity: the worst verdict decides.
enum class Decision { kPass, kWait, kStop };

inline constexpr char kFailureMetric[] = "failure";

struct Verdict {
  std::string gate;  // row of the list: "failure", "hold", "metric", "silence", "soak", "threshold"
  Decision decision = Decision::kPass;
  std::string stage;         // tests: the stage from which on devices are counted; empty: the first
  std::string metric;        // tests: kFailureMetric or the metric's name
  std::string slice;         // the slice that decided, when there is one
  double value = 0;          // what was measured (tests: the evidence, an e-value)
  double threshold = 0;      // what it is held against (tests: 1 over the alpha of this test)
  int64_t failed = 0;        // counts of the slice (silent devices count as failed)
  int64_t healthy = 0;       // the other devices that `value` is about
  int64_t control = 0;       // devices held back that it is compared with
  bool stops_slice = false;  // a stop that concerns this slice alone
  std::string reason;        // one sentence for people
};

// ---- verdict.cc
std::string_view DecisionName(Decision decision);  // "pass", "wait", "stop"
// {"gate","decision","stage","metric","slice","evidence","value","threshold","failed","healthy",
// "control","reason"}, and "stops_slice" where it is so. Without "evidence": value. kMalformed.
Json VerdictToJson(const Verdict& verdict);
Result<Verdict> VerdictFromJson(const Json& json);

// ---- weigh.cc
// Every test of the failure and metric gates: one row for each metric, slice and stage.
std::vector<Verdict> Weigh(const Settings& settings, const Input& input);

// ---- gate.cc
class Gate {
 public:
  virtual ~Gate() = default;
  virtual std::string_view name() const = 0;
  virtual Verdict Judge(const Settings& settings, const Input& input) const = 0;
};
const std::vector<const Gate*>& AllGates();

struct Judgement {
  Decision decision = Decision::kPass;
  std::string reason;             // of the verdict that decided
  std::vector<Verdict> verdicts;  // one a gate, in the order of the list
  // The slice that is to be stopped alone; empty: none. The release goes on without its devices
  // (no count holds them from then on); until that is so, the decision is kWait or worse.
  std::string stopped_slice;
};
// Asks every gate; the worst verdict decides, the first of equals.
Judgement JudgeAll(const Settings& settings, const Input& input);

}  // namespace ferry::gate
