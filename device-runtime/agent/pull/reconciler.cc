#include "device-runtime/agent/pull/reconciler.h"

#include <algorithm>

#include "common/base/log.h"
#include "device-runtime/agent/pull/reports.h"

namespace ferry::agent {

Reconciler::Reconciler(const Parts& parts, std::function<void(const Ended&)> on_ended)
    : parts_(parts), on_ended_(std::move(on_ended)), held_(parts, [this] { LookAtHeld(); }) {}

void Reconciler::Announce(int64_t counter) {
  if (counter > desired_.counter) announced_ = std::max(announced_, counter);
}

void Reconciler::Stop() {
  alive_ = Alive();
  queue_.clear();
  held_.Clear();
  installs_.clear();
}

void Reconciler::Take(trust::Desired desired, bool one, bool by_push,
                      const std::set<std::string>& held) {
  const bool newer = desired.counter != desired_.counter;
  desired_ = std::move(desired);
  by_push_ = by_push;
  if (newer) unanswered_.clear();
  KeepWanted();
  BeginOutcomes(one);
  if (!one) ObserveWanted();
  for (const std::string& package : desired_.unanswered) AnswerAgain(package);
  queue_.clear();
  held_.Clear();
  for (const auto& [package, wish] : desired_.packages)
    if (!installs_.contains(package) && !Settled(package) && !held.contains(package) &&
        MayBegin(package))
      queue_.push_back(package);
  std::stable_sort(queue_.begin(), queue_.end(), [this](const auto& a, const auto& b) {
    return unanswered_[a] < unanswered_[b];
  });
  if (Finish()) return on_ended_({.status = OkStatus(), .finished = true});
  StartSome();
}

// Installs that the document wants as they are go on under its counter. Parts of downloads that
// nothing wants are removed.
void Reconciler::KeepWanted() {
  std::erase_if(installs_, [this](const auto& item) {
    const auto wanted = desired_.packages.find(item.first);
    if (wanted == desired_.packages.end()) return true;
    trust::DesiredPackage wish = wanted->second;
    wish.observe = item.second->wish().observe;  // concerns no install
    return wish != item.second->wish() ||
           PersonalFilesOf(parts_, item.first) != item.second->personal();
  });
  for (auto& [package, install] : installs_) install->UseCounter(desired_.counter);
  std::vector<std::string> keep;
  const trust::TargetMap& entries = parts_.trust->set()->targets()->entries;
  for (const auto& [package, wish] : desired_.packages) {
    if (wish.made) keep.push_back(ToHex(wish.made->sha256));
    for (const auto* paths : {&wish.targets, &wish.files}) {
      for (const std::string& path : *paths) {
        const auto entry = entries.find(path);
        if (entry != entries.end()) keep.push_back(ToHex(entry->second.sha256));
      }
    }
    const PersonalFiles personal = PersonalFilesOf(parts_, package);
    for (size_t i = 0; personal && i < personal->size(); ++i)
      keep.push_back(ToHex((*personal)[i].second.sha256));
  }
  SweepDownloads(parts_, keep);
}

void Reconciler::BeginOutcomes(bool one) {
  std::map<std::string, Outcome> outcomes;
  const auto& known = parts_.journal->outcomes();
  for (const auto& [package, wish] : desired_.packages) {
    Outcome fresh = PendingOf(wish, parts_.trust->set()->targets());
    const auto before = known.find(package);
    const PersonalFiles personal = PersonalFilesOf(parts_, package);
    if (wish.state != trust::DesiredState::kAbsent && personal) AddPersonal(*personal, &fresh);
    if (!personal && before != known.end()) fresh.digest = before->second.digest;
    // What was confirmed stays so, unless other files are wanted or it is not there.
    if (before != known.end() && IsOf(before->second, fresh)) {
      const std::string digest = fresh.digest;
      fresh = before->second;
      const bool done = fresh.progress == Progress::kConfirmed;
      if (done && (digest != fresh.digest || !IsThere(parts_, package, wish)))
        fresh.progress = Progress::kPending;
      fresh.digest = digest;
    }
    outcomes[package] = std::move(fresh);
  }
  if (Status begun = parts_.journal->BeginDesired(desired_.counter, std::move(outcomes), one);
      !begun.ok()) {
    LogError("agent", "journal: {}", begun.ToString());
  }
}

// What runs in place of a release that this device is held back from.
void Reconciler::ObserveWanted() {
  std::map<std::string, std::string> releases;
  for (const auto& [package, wish] : desired_.packages)
    if (!wish.observe.empty()) releases[package] = wish.observe;
  const auto begun = parts_.journal->Observe(releases);
  if (!begun.ok()) return LogError("agent", "journal: {}", begun.status().ToString());
  for (const std::string& package : *begun)
    ReportObserving(parts_, package, desired_.packages.at(package).version);
}

bool Reconciler::Settled(const std::string& package) const {
  const auto found = parts_.journal->outcomes().find(package);
  return found != parts_.journal->outcomes().end() &&
         (found->second.progress == Progress::kConfirmed ||
          found->second.progress == Progress::kFailed);
}

void Reconciler::AnswerAgain(const std::string& package) {
  if (!Settled(package)) return;
  for (const Report& waiting : parts_.journal->waiting())
    if (waiting.package == package) return;  // it is on its way
  const Outcome& outcome = parts_.journal->outcomes().at(package);
  const bool failed = outcome.progress == Progress::kFailed;
  Report report;
  report.step = failed ? Step::kFailed : outcome.back ? Step::kRolledBack : Step::kConfirmed;
  report.release = outcome.release;
  report.epoch = desired_.counter;
  report.package = package;
  report.version = outcome.version;
  report.error_code = outcome.error_code;
  report.error_text = outcome.error_text;
  report.time_ms = parts_.clock->NowUnixMs();
  AddReport(parts_, std::move(report));
}

bool Reconciler::MayBegin(const std::string& package) {
  const trust::DesiredPackage& wish = desired_.packages.at(package);
  const Status asked = held_.Ask(package, wish, desired_.counter);
  if (asked.ok() || asked.code() == Code::kUnavailable) return asked.ok();
  Report report;
  report.step = Step::kFailed;
  report.release = wish.release;
  report.epoch = desired_.counter;
  report.package = package;
  report.version = wish.version;
  report.error_code = static_cast<int>(asked.code());
  report.error_text = asked.message();
  report.time_ms = parts_.clock->NowUnixMs();
  report.by_push = by_push_;
  AddReport(parts_, report);
  Outcome outcome = parts_.journal->outcomes().at(package);
  outcome.progress = Progress::kFailed;
  outcome.error_code = report.error_code;
  outcome.error_text = report.error_text;
  if (Status noted = parts_.journal->NoteOutcome(package, std::move(outcome)); !noted.ok()) {
    LogError("agent", "journal: {}", noted.ToString());
  }
  return false;
}

void Reconciler::LookAtHeld() {
  const std::map<std::string, std::string> waiting = held_.reasons();
  for (const auto& [package, why] : waiting)
    if (desired_.packages.contains(package) && MayBegin(package)) queue_.push_back(package);
  LookAtParked();
  StartSome();
  if (Finish()) on_ended_({.status = OkStatus(), .finished = true});
}

size_t Reconciler::active() const {
  return static_cast<size_t>(std::count_if(
      installs_.begin(), installs_.end(), [](const auto& item) { return !item.second->parked(); }));
}

void Reconciler::StartSome() {
  while (!queue_.empty() && active() < kMaxInstallsAtOnce) {
    const std::string package = queue_.front();
    queue_.erase(queue_.begin());
    StartOne(package);
  }
}

void Reconciler::StartOne(const std::string& package) {
  const trust::DesiredPackage& wish = desired_.packages.at(package);
  const Outcome& outcome = parts_.journal->outcomes().at(package);
  Install::Want want{package,
                     wish,
                     trust::AssignmentOf(desired_, wish),
                     by_push_,
                     outcome.confirmed_once,
                     outcome.error_code,
                     PersonalFilesOf(parts_, package)};
  Install::Asks asks;
  asks.superseded = [this] { return announced_ > desired_.counter; };
  asks.on_parked = [this] {
    parts_.executor->Post(alive_.Guard([this] {
      LookAtParked();
      StartSome();
    }));
  };
  asks.on_end = [this, package](const Status& status) { OnEnd(package, status); };
  auto install = std::make_unique<Install>(parts_, std::move(want), std::move(asks));
  Install* started = install.get();
  installs_[package] = std::move(install);
  // Each from the executor: one that ends at once must not end its document while others begin.
  parts_.executor->Post(started->Guarded([started] { started->Start(); }));
}

void Reconciler::OnEnd(const std::string& package, const Status& status) {
  const auto found = installs_.find(package);
  Ended ended{.status = status, .room_needed = found->second->room_needed()};
  // The install is still on the stack.
  parts_.executor->Post([gone = std::shared_ptr<Install>(std::move(found->second))] {});
  installs_.erase(found);
  NoteEnd(package, status);
  LookAtParked();
  StartSome();
  ended.finished = Finish();
  on_ended_(ended);
}

void Reconciler::NoteEnd(const std::string& package, const Status& status) {
  Outcome outcome = parts_.journal->outcomes().at(package);
  const bool passing = IsTransient(status) || status.code() == Code::kDiskFull;
  if (status.code() == Code::kCancelled) return;
  if (status.code() == Code::kDeadlineExceeded) ++unanswered_[package];
  // That the disk was full was reported, and is not again for this wish.
  if (IsTransient(status) && outcome.error_code == static_cast<int>(Code::kDiskFull)) return;
  outcome.progress = status.ok() ? Progress::kConfirmed
                     : passing   ? Progress::kWaiting
                                 : Progress::kFailed;
  outcome.confirmed_once = outcome.confirmed_once || status.ok();
  outcome.error_code = static_cast<int>(status.code());
  outcome.error_text = status.message();
  if (Status noted = parts_.journal->NoteOutcome(package, std::move(outcome)); !noted.ok()) {
    LogError("agent", "journal: {}", noted.ToString());
  }
}

bool Reconciler::Finish() {
  if (!installs_.empty() || !queue_.empty()) return false;
  for (const auto& [package, wish] : desired_.packages)
    if (!Settled(package)) return false;
  if (Status finished = parts_.journal->Finish(desired_.counter); !finished.ok()) {
    LogError("agent", "{}", finished.ToString());
  }
  return true;
}

void Reconciler::LookAtParked() {
  std::vector<std::string> going;
  for (const auto& [package, install] : installs_)
    if (install->parked() && MayGoOn(package)) going.push_back(package);
  for (const std::string& package : going) {
    parts_.executor->Post(
        installs_[package]->Guarded([install = installs_[package].get()] { install->GoOn(); }));
  }
}

// It waits as long as one of those that it needs, or that these need, is neither settled nor parked
// itself: then something is still going on. Those that need each other go on together.
bool Reconciler::MayGoOn(const std::string& package) const {
  std::set<std::string> seen = {package};
  std::vector<std::string> todo = installs_.at(package)->needs();
  while (!todo.empty()) {
    const std::string need = todo.back();
    todo.pop_back();
    if (!seen.insert(need).second || !desired_.packages.contains(need) || Settled(need)) continue;
    const auto install = installs_.find(need);
    if (install == installs_.end() || !install->second->parked()) return false;
    const auto& further = install->second->needs();
    todo.insert(todo.end(), further.begin(), further.end());
  }
  return true;
}

}  // namespace ferry::agent
