// Gates: what lets a release move on, holds it, or stops it. Pure: numbers in, verdicts out. One
// file each under gates/, one row each in gates/list.inc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "policy/gate/eprocess.h"

namespace ferry::gate {

struct Settings {
  double tolerated_rate = kToleratedRate;
  double alpha = kAlpha;
};
// {"tolerated_rate":0.012,"alpha":0.01}; missing members take the defaults. kInvalidArgument for a
// value outside (0, 1).
Result<Settings> SettingsFromJson(const Json& json);
Json SettingsToJson(const Settings& settings);

// Distinct devices of one slice ("all", "os=android", ...) over the whole release: each device is
// in at most one of failed, healthy, overdue and pending.
struct SliceCounts {
  std::string slice;
  int64_t failed = 0;
  int64_t healthy = 0;
  int64_t overdue = 0;  // offered, and silent for longer than the stage's report time-out
  int64_t pending = 0;  // offered, not yet overdue
};

struct Input {
  int64_t now_ms = 0;
  int64_t stage_since_ms = 0;   // when the present stage was entered (or resumed)
  int64_t min_healthy_ms = 0;   // of the present stage
  int64_t min_reports = 0;      // of the present stage
  int64_t next_overdue_ms = 0;  // when the oldest pending device becomes overdue; 0: never
  bool hold = false;            // a person holds the stage
  std::string hold_reason;
  std::vector<SliceCounts> slices;  // "all" among them
};

// Ordered by severity: the worst verdict decides.
enum class Decision { kPass, kWait, kStop };
std::string_view DecisionName(Decision decision);  // "pass", "wait", "stop"

struct Verdict {
  std::string gate;  // row of the list: "failure", "hold", "silence", "soak"
  Decision decision = Decision::kPass;
  std::string slice;     // the slice that decided, when there is one
  double value = 0;      // what was measured (for "failure": the e-value)
  double threshold = 0;  // what it is held against (for "failure": 1/alpha)
  int64_t failed = 0;    // counts of the slice (overdue devices count as failed)
  int64_t healthy = 0;
  std::string reason;  // one sentence for people
};
Json VerdictToJson(const Verdict& verdict);
Result<Verdict> VerdictFromJson(const Json& json);

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
};
// Asks every gate; the worst verdict decides, the first of equals.
Judgement JudgeAll(const Settings& settings, const Input& input);

}  // namespace ferry::gate
