// What gates look at: counts of distinct devices by stage, cohort and slice. Numbers only: the
// caller counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ferry::gate {

inline constexpr char kAllSlice[] = "all";  // the slice that every device is in

// Distinct devices of one stage, cohort and slice, each counted in the stage that first took it.
//
// A device's window runs from when it was taken to StageCohort::window_ms later. A device is
// `exposed` from the start of its window; it leaves again when its window ends before it began the
// installation, or when its failure is the device's own. Exposure must not follow from the outcome:
// counting devices when they report would count quick failures before slow successes.
struct Counts {
  int64_t exposed = 0;
  int64_t failed = 0;         // of exposed: failed within the window, or silent when it ended
  int64_t silent = 0;         // of failed
  int64_t pending = 0;        // of exposed: not answered, and the window is open
  int64_t closed = 0;         // of exposed: the window is over
  int64_t closed_failed = 0;  // of closed
  int64_t healthy = 0;        // of exposed: reported well, taken min_healthy_ms ago or longer
  int64_t late = 0;           // of closed, not of failed: failed after the window
  int64_t dropped = 0;        // were exposed and left again
};

// Values of one metric, of devices whose window is over: past the metric's
// threshold or not. Without a fixed limit the threshold is BaselineThreshold of the first control
// devices of the stage, and only devices taken after the last of these count, in both cohorts. A
// treated device that sent none (it failed, or never began) is within; such a control device is in
// no count: missing values then cannot speak against the release.
struct MetricCounts {
  std::string metric;
  int64_t past = 0;
  int64_t within = 0;
  int64_t control_past = 0;
  int64_t control_within = 0;
};

struct SliceCounts {
  std::string slice;       // "all", "os=android", ...
  Counts treated;          // devices that were offered the release
  Counts control;          // held back, over the same windows
  int64_t first_seen = 0;  // orders slices by when the release first met them; never changes
  std::vector<MetricCounts> metrics;
};

// The devices that one stage first took.
struct StageCohort {
  std::string stage;
  // Chance that a device of the stage is held back, in [0, 1); independent of all else about it.
  double control_share = 0;
  std::vector<SliceCounts> slices;
};

struct Input {
  int64_t now_ms = 0;
  int64_t stage_since_ms = 0;   // when the present stage was entered (or resumed)
  int64_t min_healthy_ms = 0;   // of the present stage
  int64_t min_reports = 0;      // of the present stage; 0: as many as RequiredReports says
  int64_t planned = 0;          // devices that the present stage takes and no earlier one took
  int64_t next_overdue_ms = 0;  // when the oldest open window ends and silence counts; 0: never
  bool hold = false;            // a person holds the stage
  std::string hold_reason;
  // In the order in which they were entered; the last is the present stage. A device of a slice
  // that was stopped alone is in no count.
  std::vector<StageCohort> stages;
};

// Adds `sign` times `what`.
void AddCounts(Counts& to, const Counts& what, int64_t sign);
// Counts of one slice in one stage; zeros when it is missing.
const SliceCounts& SliceOf(const StageCohort& cohort, const std::string& slice);
// Slice "all" of the present stage; zeros when there is none.
const SliceCounts& PresentAll(const Input& input);
// How many devices of the present stage must have reported well before it may pass: min_reports, or
// else every tenth planned one up to kMostDefaultReports, and one at least. Never more than the
// stage has devices; 0 only for a stage that has none.
int64_t RequiredReports(const Input& input);
inline constexpr int64_t kDefaultReportsDivisor = 10;
inline constexpr int64_t kMostDefaultReports = 100;

// The threshold of a metric without a fixed limit: the median of the first kBaselineDevices control
// values. `values` are finite and not empty.
double BaselineThreshold(std::vector<double> values);
inline constexpr size_t kBaselineDevices = 20;

}  // namespace ferry::gate
