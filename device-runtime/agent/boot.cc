// Starting what is installed: a version on trial is probed, one that does not load gives way to the
// one before.
#include <algorithm>

#include "common/base/json.h"
#include "common/base/log.h"
#include "device-runtime/agent/agent_impl.h"
#include "device-runtime/agent/pull/reports.h"
#include "device-runtime/agent/state/recover.h"

namespace ferry::agent {

// A damaged file is no release's fault: the report names none.
void Agent::Impl::ReportDamages() {
  for (const std::string& damage : damages) {
    LogError("agent", "{}", damage);
    Report report;
    report.step = Step::kFailed;
    report.error_code = static_cast<int>(Code::kCorruptContent);
    report.error_text = damage;
    report.time_ms = given.clock->NowUnixMs();
    AddReport(parts, report);
  }
  damages.clear();
}

void Agent::Impl::Boot() {
  ++booting;
  if (Status ended = slots.FinishRemovals(); !ended.ok()) LogWarn("agent", "{}", ended.ToString());
  const auto packages = slots.Packages();
  if (!packages.ok()) journal.NoteError(packages.status(), given.clock->NowUnixMs());
  std::map<std::string, Current> installed;
  for (const std::string& package : packages.value_or({})) {
    const auto read = ReadCurrent(package);
    if (read.ok() && *read) {
      installed[package] = **read;
      Status moved = slots.MoveOldFiles(package, &installed[package]);
      if (!moved.ok()) LogWarn("agent", "{}: {}", package, moved.ToString());
    }
    if (read.ok()) continue;
    LogError("agent", "{}: {}", package, read.status().ToString());
    journal.NoteError(read.status(), given.clock->NowUnixMs());
  }
  ReportDamages();
  FindLost();
  std::erase_if(installed, [](const auto& item) { return item.second.disabled; });
  const std::string suspect = Suspect(installed);
  for (auto& [package, current] : installed) {
    // Where one is to blame the others begin to count anew.
    if (!suspect.empty() && package != suspect && !current.trying) current.starts = 0;
    StartPackage(package, current, package == suspect);
  }
  Booted();
}

void Agent::Impl::FindLost() {
  for (const auto& [package, outcome] : journal.outcomes()) {
    if (outcome.progress != Progress::kConfirmed || outcome.state == trust::DesiredState::kAbsent)
      continue;
    const auto current = slots.Read(package);
    const bool there = current.ok() && *current &&
                       sys::Exists(*given.fs, slots.PackageFile(package, (*current)->now.slot));
    if (there && HasPersonal(parts, package, **current)) continue;
    LogError("agent", "{}: {} is gone and is asked for again", package,
             there ? "a personal file" : outcome.version);
    if (Status reopened = journal.Reopen(); !reopened.ok()) {
      LogError("agent", "{}", reopened.ToString());
    }
    return;
  }
}

Result<std::optional<Current>> Agent::Impl::ReadCurrent(const std::string& package) {
  std::string damage;
  auto read = slots.Read(package, &damage);
  if (read.code() == Code::kCorruptContent) {
    std::vector<std::string> ran;
    for (const Json& entry : journal.VersionsOf(package)) {
      ran.push_back(GetStringOr(entry, "version", "").value_or(""));
    }
    const trust::Targets* targets = trust.set() == nullptr ? nullptr : trust.set()->targets();
    FERRY_ASSIGN_OR_RETURN(
        const Current found,
        RecoverCurrent(*given.fs, slots, package, ran, targets).Context("{}", damage));
    damages.push_back(
        fmt::format("{}; {} {} runs, from its slot", damage, package, found.now.running.version));
    FERRY_TRY(slots.Write(package, found));
    return std::optional<Current>(found);
  }
  if (!read.ok() || !*read) return read;
  if (!damage.empty()) damages.push_back(damage + "; the other copy was taken");
  if (Status healed = slots.Heal(package); !healed.ok()) {
    LogWarn("agent", "{}: {}", package, healed.ToString());
  }
  return read;
}

void Agent::Impl::StartPackage(const std::string& package, Current current, bool suspect) {
  const std::string& version = current.now.running.version;
  if (current.trying && current.starts >= kMaxTrialStarts) {
    return GoBack(package, current,
                  Status::Of(Code::kProbeFailed, "{} {} was started {} times and never confirmed",
                             package, version, current.starts));
  }
  if (suspect) {
    return GoBack(package, current,
                  Status::Of(Code::kCrashLoop, "the process died {} times with {} {}",
                             current.starts, package, version));
  }
  WriteStarts(package, current, ++current.starts);
  ++booting;
  tasks.Prepare(slots.PackageFile(package, current.now.slot),
                slots.OwnDirectories(package, current.now, current.personal), current.trying,
                alive.Guard([this, package, current](auto runner) {
                  OnLoaded(package, current, std::move(runner));
                  Booted();
                }));
}

void Agent::Impl::OnLoaded(const std::string& package, Current current,
                           Result<std::shared_ptr<PackageRunner>> runner) {
  if (!runner.ok()) return GoBack(package, current, runner.status());
  const std::string& version = current.now.running.version;
  const Status used = tasks.Use(package, version, current.now.release, std::move(runner).value());
  if (!used.ok()) return GoBack(package, current, used);
  Watch(package, version);
  if (!current.trying) return;
  current.trying = false;
  if (Status written = slots.Write(package, current); !written.ok()) {
    LogError("agent", "{}: {}", package, written.ToString());
  }
  journal.NoteVersion(package, version, "full", given.clock->NowUnixMs());
}

// A damaged file is no release's fault: the report names none.
void Agent::Impl::FetchDamaged(const std::string& package, const Installed& now, Report* report) {
  if (slots.Holds(package, now.slot, now.running.plain_sha256)) return;
  slots.damaged().insert(package);
  report->release.clear();
  report->error_code = static_cast<int>(Code::kCorruptContent);
  report->error_text += "; the file is damaged and fetched again";
  if (Status reopened = journal.Reopen(); !reopened.ok()) {
    LogError("agent", "{}", reopened.ToString());
  }
}

void Agent::Impl::NoteFailed(const std::string& package, const Report& report) {
  const auto found = journal.outcomes().find(package);
  if (found == journal.outcomes().end() || found->second.version != report.version) return;
  Outcome outcome = found->second;
  outcome.progress = Progress::kFailed;
  outcome.error_code = report.error_code;
  outcome.error_text = report.error_text;
  if (Status noted = journal.NoteOutcome(package, std::move(outcome)); !noted.ok()) {
    LogError("agent", "journal: {}", noted.ToString());
  }
}

void Agent::Impl::GoBack(const std::string& package, const Current& current, const Status& why) {
  LogError("agent", "{}: {}", package, why.ToString());
  Report report;
  report.step = Step::kFailed;
  report.release = current.now.release;
  report.epoch = journal.finished_epoch();
  report.package = package;
  report.version = current.now.running.version;
  report.error_code = static_cast<int>(why.code());
  report.error_text = why.message();
  report.time_ms = given.clock->NowUnixMs();
  if (why.code() != Code::kCrashLoop) FetchDamaged(package, current.now, &report);
  if (!slots.damaged().contains(package)) NoteFailed(package, report);
  const bool whole =
      current.before && current.before->slot != current.now.slot &&
      slots.Holds(package, current.before->slot, current.before->running.plain_sha256);
  if (!whole) {
    // Nothing to go back to: it is left out this once, so that the process lives to be told what
    // to run instead; the next process tries it again.
    if (!current.trying) WriteStarts(package, current, kMaxStarts - 1);
    return AddReport(parts, report);
  }
  Current next;
  next.starts = 1;
  next.switched_ms = report.time_ms;
  next.now = *current.before;
  next.personal = current.personal;
  // Counters never go down: what was seen stays seen.
  next.now.running.highest_counter =
      std::max(next.now.running.highest_counter, current.now.running.highest_counter);
  if (Status written = slots.Write(package, next); !written.ok()) {
    LogError("agent", "{}: {}", package, written.ToString());
  }
  report.previous_version = next.now.running.version;
  journal.NoteVersion(package, next.now.running.version, "revert", report.time_ms);
  AddReport(parts, report);
  ++booting;
  tasks.Prepare(slots.PackageFile(package, next.now.slot),
                slots.OwnDirectories(package, next.now, next.personal), false,
                alive.Guard([this, package, next](Result<std::shared_ptr<PackageRunner>> runner) {
                  const std::string& version = next.now.running.version;
                  const Status used = runner.ok() ? tasks.Use(package, version, next.now.release,
                                                              std::move(runner).value())
                                                  : runner.status();
                  if (used.ok()) {
                    Watch(package, version);
                  } else {
                    LogError("agent", "{}: {}", package, used.ToString());
                    journal.NoteError(used, given.clock->NowUnixMs());
                  }
                  Booted();
                }));
}

void Agent::Impl::Booted() {
  if (--booting > 0 || stopped) return;
  if (Status written = journal.WriteStart(); !written.ok()) {
    LogError("agent", "journal: {}", written.ToString());
  }
  // That it was said is in no file.
  for (const auto& [package, record] : journal.observed()) {
    const auto outcome = journal.outcomes().find(package);
    if (!record.failed && !record.healthy && outcome != journal.outcomes().end())
      ReportObserving(parts, package, outcome->second.version);
  }
  link.Start();
  SchedulePoll();
  PumpWithin(kPumpMs);
  if (options.on_loaded) options.on_loaded();
}

}  // namespace ferry::agent
