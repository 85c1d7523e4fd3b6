// How releases went over time: points that the console draws.
#include <algorithm>
#include <cmath>

#include "cloud-server/core/apply.h"
#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/rollout.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxPointSlices = 8;  // those nearest to where they stop, besides "all"
constexpr double kMostEvidence = 1e300;

double NearnessOf(const GateNumbers& gate) {
  return gate.threshold > 0 ? gate.evidence / gate.threshold : 0;
}

// To four digits: a chart shows no more.
double RoundedEvidence(double value) {
  if (!(value > 0)) return 0;
  const double scale = std::pow(10, 3 - std::floor(std::log10(value)));
  return std::min(value >= kMostEvidence || !std::isfinite(scale)
                      ? kMostEvidence
                      : std::round(value * scale) / scale,
                  kMostEvidence);
}

// Of each slice the metric that is nearest to where it stops.
std::string EvidenceOf(std::vector<GateNumbers> gates) {
  std::stable_sort(gates.begin(), gates.end(), [](const GateNumbers& a, const GateNumbers& b) {
    return NearnessOf(a) > NearnessOf(b);
  });
  Json evidence = Json::object();
  for (const GateNumbers& gate : gates) {
    if (evidence.contains(gate.slice)) continue;
    if (gate.slice != "all" && evidence.size() >= kMaxPointSlices) continue;
    evidence[gate.slice] = {RoundedEvidence(gate.evidence), RoundedEvidence(gate.threshold)};
  }
  return WriteJson(evidence);
}

Result<SeriesPoint> PointOf(Transaction& tx, const std::string& id) {
  FERRY_ASSIGN_OR_RETURN(const ReleaseRow release, tx.releases().Get(id));
  FERRY_ASSIGN_OR_RETURN(const std::vector<StageRow> stages, tx.releases().Stages(id));
  FERRY_ASSIGN_OR_RETURN(const Tallies tallies, tx.releases().TalliesOf(id));
  FERRY_ASSIGN_OR_RETURN(const Measured measured, tx.releases().MeasuredOf(id));
  FERRY_ASSIGN_OR_RETURN(std::vector<GateNumbers> gates,
                         GatesOf(release, stages, tallies, measured));
  const Counts total = TotalOf(tallies);
  SeriesPoint point;
  point.release = id;
  point.members = total.members();
  point.healthy = total.healthy;
  point.failed = total.failed;
  point.back = total.told_back;
  point.evidence = EvidenceOf(std::move(gates));
  return point;
}

}  // namespace

Status Rollout::NoteSeries(const std::vector<std::string>& active) {
  const std::lock_guard lock(series_mutex_);
  const uint64_t changes = change_count();
  if (changes == series_changes_) return OkStatus();
  bool all = true;
  std::set<std::string> releases(active.begin(), active.end());
  for (const auto& [id, state] : series_) releases.insert(id);
  const int64_t now_ms = options_.clock->NowUnixMs();
  for (const std::string& id : releases) {
    // Whoever ended since the last tick gets a last point.
    const bool moves = std::find(active.begin(), active.end(), id) != active.end();
    const auto known = series_.find(id);
    if (known != series_.end() && moves) {
      const int64_t since_ms = now_ms - known->second.last.time_ms;
      if (since_ms >= 0 && since_ms < known->second.step_ms) {
        all = false;  // the next tick looks again
        continue;
      }
    }
    SeriesPoint point;
    FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(point, PointOf(tx, id));
      return OkStatus();
    }));
    if (known != series_.end()) point.time_ms = known->second.last.time_ms;
    if (known == series_.end() || !(point == known->second.last)) {
      point.time_ms = now_ms;
      SeriesState state;
      FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
        FERRY_TRY(tx.series().Add(point));
        FERRY_ASSIGN_OR_RETURN(state, tx.series().State(id));
        return OkStatus();
      }));
      series_[id] = {point, state.step_ms};
    }
    if (!moves) series_.erase(id);
  }
  if (all) series_changes_ = changes;
  return OkStatus();
}

}  // namespace ferry::server
