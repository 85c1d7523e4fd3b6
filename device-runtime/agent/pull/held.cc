#include "device-runtime/agent/pull/held.h"

#include <algorithm>

#include "common/base/log.h"
#include "device-runtime/agent/pull/install.h"
#include "device-runtime/agent/pull/reports.h"
#include "policy/when/when.h"

namespace ferry::agent {
namespace {

constexpr size_t kMaxReported = 4 * trust::kMaxDesiredPackages;

}  // namespace

Held::Held(const Parts& parts, std::function<void()> look)
    : parts_(parts), look_(std::move(look)) {}

Held::~Held() {
  parts_.executor->Cancel(timer_);
}

void Held::Clear() {
  parts_.executor->Cancel(timer_);
  timer_ms_ = 0;
  reasons_.clear();
}

Status Held::Ask(const std::string& package, const trust::DesiredPackage& wish, int64_t epoch) {
  reasons_.erase(package);
  const bool installs = wish.state == trust::DesiredState::kRun && !wish.back;
  if (wish.when.empty() || !installs || IsThere(parts_, package, wish)) return OkStatus();
  const auto when = when::WhenFromText(wish.when, false);
  if (!when.ok()) return when.status().Context("conditions of {}", package);
  const int64_t now_ms = parts_.clock->NowUnixMs();
  const when::Answer answer =
      when::MayStart(*when, parts_.host ? parts_.host() : when::Host(), now_ms);
  if (answer.may_start) return OkStatus();
  if (answer.too_late)
    return Status::Of(Code::kDeadlineExceeded, "{} {} did not begin: {}", package, wish.version,
                      answer.why);
  reasons_[package] = answer.why;
  ReportWaiting(package, wish, epoch, answer.why);
  int64_t again_ms = std::max(now_ms + kHeldCheckMs, answer.look_again_ms);
  if (when->deadline_ms > 0) again_ms = std::min(again_ms, when->deadline_ms);
  Schedule(again_ms);
  return Status(Code::kUnavailable, answer.why);
}

// The clock may be set in between: however far the window is, it is looked at again.
void Held::Schedule(int64_t look_again_ms) {
  constexpr int64_t kLongestMs = 60'000;
  const int64_t now_ms = parts_.clock->NowUnixMs();
  const int64_t due_ms = std::clamp(look_again_ms, now_ms + 1, now_ms + kLongestMs);
  if (timer_ms_ != 0 && timer_ms_ <= due_ms) return;
  parts_.executor->Cancel(timer_);
  timer_ms_ = due_ms;
  timer_ = parts_.executor->PostAfter(due_ms - now_ms, alive_.Guard([this] {
    timer_ms_ = 0;
    look_();
  }));
}

void Held::ReportWaiting(const std::string& package, const trust::DesiredPackage& wish,
                         int64_t epoch, const std::string& why) {
  const std::string which = fmt::format("{} {} {}", package, wish.release, wish.attempt);
  if (reported_.contains(which) || reported_.size() >= kMaxReported) return;
  reported_.insert(which);
  LogInfo("agent", "{} {} waits: {}", package, wish.version, why);
  Report report;
  report.step = Step::kWaiting;
  report.release = wish.release;
  report.epoch = epoch;
  report.package = package;
  report.version = wish.version;
  report.error_text = why;
  report.time_ms = parts_.clock->NowUnixMs();
  AddReport(parts_, report);
}

}  // namespace ferry::agent
