// How a release spreads: its rule and its stages, in order. Pure. Source: Walle (OSDI 2022:
// simulation, beta, gray, full) and the traps listed by fleet tools (a share that grows keeps the
// devices it had).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "policy/stage/rate.h"
#include "policy/target/attributes.h"
#include "policy/target/bucket.h"
#include "policy/target/rule.h"
#include "policy/when/when.h"

namespace ferry::stage {

enum class Kind { kSimulation, kBeta, kGray, kFull };
std::string_view KindName(Kind kind);  // "simulation", "beta", "gray", "full"

struct Stage {
  Kind kind = Kind::kFull;
  std::string name;               // unique in a plan: "simulation", "beta", "gray 20%", "full"
  target::Rule who;               // kBeta: the devices of this stage
  std::string who_text;           // as written
  target::Share share = 0;        // kGray: percent of the release's salt, in bucket units
  int64_t min_healthy_ms = 0;     // at least so long in this stage, without a stop
  int64_t report_timeout_ms = 0;  // silence longer than this counts as failure; 0: never
  int64_t min_reports = 0;        // distinct devices that must have reported well before moving on
  bool hold = false;              // waits for a person before leaving the stage
  // Percent of the stage's devices that are held back, in bucket units: members without the offer,
  // which the gates compare with the others.
  target::Share control = 0;
  // kSimulation: what is asked of the version beside the one that devices run, on the same cases.
  bool same_outputs = false;    // a case that gives another output fails the stage
  double max_time_ratio = 0;    // median time of a run, as a multiple of the other's; 0: not judged
  double max_memory_ratio = 0;  // the process's peak, likewise
};

struct Plan {
  target::Rule rule;  // who the release may reach at all
  std::string rule_text;
  // Rule and stages do not hear what a device calls itself (target::WithoutClaims), and its keys go
  // by the same word.
  bool trusted_only = false;
  std::vector<Stage> stages;
  std::optional<Rate> rate;  // of new devices; nothing: as many as ask
  Retries retries;
  when::When when;  // devices may start to install
};

inline constexpr size_t kMaxStages = 32;
inline constexpr double kMinRatio = 0.1, kMaxRatio = 1000;  // of max_time_ratio, max_memory_ratio
inline constexpr target::Share kMaxControl = 90 * target::kOnePercent;
inline constexpr int64_t kMaxStageMs = int64_t{365} * 24 * 3600 * 1000;

// Without "stages", DefaultStages. {"rule": text, "trusted_only": bool, "stages":
// [{"kind":"simulation"}, {"kind":"beta","who":"tag(\"beta\")", "min_healthy_ms":..},
// {"kind":"gray","percent":20}, {"kind":"full"}]}; other members of a stage: name,
// report_timeout_ms, min_reports, hold, control (percent), and of a simulation same_outputs (bool),
// max_time_ratio, max_memory_ratio. Beside them "rate", "retries" (rate.h) and "when"
// (policy/when). kBadRule / kMalformed name the stage.
Result<Plan> PlanFromJson(const Json& json);
Json PlanToJson(const Plan& plan);

// One simulation at most, and first; betas next; gray shares grow and stay under 100 percent; one
// full, last. kInvalidArgument says which stage is wrong.
Status CheckPlan(const Plan& plan);

// Simulation, beta with tag("beta"), gray 10, gray 50, full, each a minute healthy.
std::vector<Stage> DefaultStages();

// Whether the release may reach the device at all.
target::Explanation ExplainRule(const Plan& plan, const target::Attributes& device,
                                std::string_view salt);
// Whether a device is offered the release while the plan stands at `stage` (an index): the rule
// matches, and this or an earlier stage takes the device. Later stages never drop a device.
target::Explanation Includes(const Plan& plan, size_t stage, const target::Attributes& device,
                             std::string_view salt);
// The first stage that takes the device; nullopt when the rule leaves it out.
std::optional<size_t> FirstStage(const Plan& plan, const target::Attributes& device,
                                 std::string_view salt);

// Whether a device that `stage` takes is held back. By a bucket that has nothing to do with the one
// of gray steps; a device that a smaller control holds back is also held back by a larger one.
bool IsHeldBack(const Stage& stage, std::string_view device_id, std::string_view salt);

}  // namespace ferry::stage
