// How what runs on a small device does, and what it says of it.
#include <algorithm>
#include <cmath>

#include "tools/fleetsim/small/fleet.h"
#include "tools/fleetsim/world/backend.h"
#include "tools/fleetsim/world/door.h"

namespace ferry::fleetsim {
namespace {

constexpr int64_t kUsualRunMs = 60'000;
constexpr int64_t kMeasureMs = 60'000;
constexpr int64_t kSilentLeastMs = 6 * kHourMs, kSilentMoreMs = 18 * kHourMs;
constexpr int64_t kLateReportMs = 30'000;

}  // namespace

// The first event that the task gets comes some time after the switch.
void SmallFleet::PlanRun(int64_t device) {
  Small& small = (*this)[device];
  if (small.running == kNoVersion || small.running_lost || small.disabled) return;
  const Truth* truth = sim_.TruthOf(small.running, ProfileOf(device));
  const double mean = static_cast<double>(truth != nullptr ? truth->after_ms : kUsualRunMs);
  const double drawn = sim_.Draw(device, "run", small.running);
  const auto wait = static_cast<int64_t>(-mean * std::log(1 - drawn)) + 1;
  const bool silent =
      truth != nullptr && sim_.Draw(device, "silent", small.running) < truth->silent;
  small.run_ms = OnlineAt(device, sim_.now_ms() + wait);
  if (!silent || small.told_failed) return;
  small.silent = true;
  small.run_ms = INT64_MAX;
  const auto back = static_cast<int64_t>(sim_.Draw(device, "comes back", small.running) *
                                         static_cast<double>(kSilentMoreMs));
  small.poll_ms = OnlineAt(device, sim_.now_ms() + kSilentLeastMs + back);
  small.told_failed = true;  // once is enough
}

void SmallFleet::OnRun(int64_t device) {
  Small& small = (*this)[device];
  if (small.running == kNoVersion || small.disabled) return;
  const Truth* truth = sim_.TruthOf(small.running, ProfileOf(device));
  const bool fails = truth != nullptr && sim_.Draw(device, "fails", small.running) < truth->fails;
  const Step step = fails ? Step::kTaskFailed : Step::kHealthy;
  const Code error = fails ? Code::kScriptRaised : Code::kOk;
  bool& told = fails ? small.told_failed : small.told_healthy;
  if (!std::exchange(told, true) && small.run_release != kNoRelease)
    Add(device, step, small.running, small.run_release, error);
  if (small.observed != kNoRelease && !std::exchange(small.told_observed, true))
    Add(device, step, small.running, small.observed, error);
  if (truth != nullptr && truth->latency_ms > 0 && !small.measured)
    small.run_ms = OnlineAt(device, sim_.now_ms() + kMeasureMs);
  Send(device);
}

void SmallFleet::OnMeasure(int64_t device) {
  Small& small = (*this)[device];
  if (small.running == kNoVersion || std::exchange(small.measured, true)) return;
  if (small.run_release != kNoRelease)
    Add(device, Step::kMeasured, small.running, small.run_release);
  if (small.observed != kNoRelease) Add(device, Step::kMeasured, small.running, small.observed);
  Send(device);
}

void SmallFleet::Add(int64_t device, Step step, uint8_t version, uint8_t release, Code error) {
  Small& small = (*this)[device];
  if (small.waiting == kMaxWaiting) {
    // As a journal that is full: what says how a step went goes, what ends a wish stays.
    const auto end = small.reports.begin() + small.waiting;
    const auto step_of_way = std::find_if(small.reports.begin(), end, [](const WaitingReport& r) {
      return r.step >= Step::kWoken && r.step <= Step::kProbed;
    });
    std::move(step_of_way == end ? small.reports.begin() + 1 : step_of_way + 1, end,
              step_of_way == end ? small.reports.begin() : step_of_way);
    --small.waiting;
    ++small.dropped;
  }
  WaitingReport& report = small.reports[small.waiting++];
  report = WaitingReport();
  report.seq = ++small.seq;
  report.step = step;
  report.version = version;
  report.release = release;
  // Steps of an install say what ran before it; others do not.
  if (step > Step::kWoken && step <= Step::kRolledBack) report.previous = small.before;
  report.error = static_cast<int16_t>(error);
  report.by_push = small.woken;
  if (step == Step::kPulled) sim_.CountDevice(release, ProfileOf(device), Sim::Count::kPulled);
  if (step == Step::kConfirmed)
    sim_.CountDevice(release, ProfileOf(device), Sim::Count::kConfirmed);
  sim_.Note(EventKind::kReport, device, report.seq, static_cast<int64_t>(step));
  if (on_report) on_report(device, RowOf(device, report));
}

server::ReportRow SmallFleet::RowOf(int64_t device, const WaitingReport& report) const {
  const Small& small = devices_[static_cast<size_t>(device)];
  server::ReportRow row;
  row.device = IdOf(device);
  row.seq = report.seq;
  row.step = NameOf(report.step);
  row.epoch = report.epoch_before ? small.epoch_before : small.epoch;
  if (report.release != kNoRelease) row.release = sim_.releases()[report.release].id;
  const bool of_package = report.version != kNoVersion || report.release != kNoRelease;
  if (of_package) row.package = kPackage;
  if (report.version != kNoVersion) row.version = sim_.versions()[report.version].name;
  if (report.previous != kNoVersion) row.previous_version = sim_.versions()[report.previous].name;
  row.error_code = report.error;
  if (report.error == static_cast<int16_t>(Code::kScriptRaised))
    row.error_text = "task.py:12: KeyError: 'pixels'";
  row.time_ms = std::max<int64_t>(0, sim_.world().clock().NowUnixMs() + small.clock_ms);
  row.by_push = report.by_push;
  if (report.step == Step::kPulled)
    row.bytes_pulled = static_cast<uint64_t>(sim_.versions()[report.version].bytes);
  if (report.step == Step::kMeasured) {
    const Truth* truth = sim_.TruthOf(report.version, ProfileOf(device));
    const double spread = 0.5 + sim_.Draw(device, "latency", report.version);
    if (truth != nullptr) row.metrics["latency_ms"] = truth->latency_ms * spread;
  }
  return row;
}

// All that is not acknowledged, in order; what was sent and not answered goes again.
void SmallFleet::Send(int64_t device) {
  Small& small = (*this)[device];
  if (small.line_broken || small.silent || small.waiting == 0) return;
  if (sim_.IsCutOff(device) || !IsOnline(device)) {
    small.line_broken = true;
    return;
  }
  // Acknowledgements that come meanwhile change the array.
  const auto reports = small.reports;
  const size_t count = small.waiting;
  for (size_t i = 0; i < count && !small.line_broken; ++i)
    if (!SendOne(device, reports[i])) small.line_broken = true;
  if (small.line_broken && small.poll_ms > sim_.now_ms() + kHourMs) {
    Retry(device);
    Schedule(device);
  }
}

bool SmallFleet::SendOne(int64_t device, const WaitingReport& report) {
  Small& small = (*this)[device];
  if (report.seq <= std::max(small.acked, small.sent)) return true;
  small.sent = report.seq;
  Delivery delivery;
  sim_.Strike(Strikes::kMessage, {sim_, device, &delivery});
  if (delivery.lost) return false;
  const server::ReportRow row = RowOf(device, report);
  const auto send = [this, device, line = small.line,
                     lost = delivery.answer_lost](const server::ReportRow& sent) {
    sim_.door().Report(device, sent,
                       [this, device, line, lost, seq = sent.seq](const Status& stored) {
                         // A line that broke brings no acknowledgements any more: one of a later
                         // report would stand for one before it that was not stored.
                         const Small& now = (*this)[device];
                         if (lost || now.line_broken || now.line != line) return;
                         OnStored(device, static_cast<uint32_t>(seq), stored);
                       });
  };
  send(row);
  if (delivery.doubled) send(row);
  if (delivery.late)
    executor_->PostAfter(kLateReportMs, [this, send, row] {
      if (sim_.backend().started()) send(row);
    });
  return !delivery.answer_lost;
}

void SmallFleet::OnStored(int64_t device, uint32_t seq, const Status& stored) {
  Small& small = (*this)[device];
  if (!stored.ok()) {
    small.line_broken = true;
    return;
  }
  // An acknowledgement stands for everything before it.
  small.acked = std::max(small.acked, seq);
  size_t kept = 0;
  for (size_t i = 0; i < small.waiting; ++i)
    if (small.reports[i].seq > small.acked) small.reports[kept++] = small.reports[i];
  small.waiting = static_cast<uint8_t>(kept);
}

}  // namespace ferry::fleetsim
