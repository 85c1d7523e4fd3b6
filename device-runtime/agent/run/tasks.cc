#include "device-runtime/agent/run/tasks.h"

#include "common/base/log.h"
#include "device-runtime/task/outcome.h"
#include "pipeline/event/event.h"

namespace ferry::agent {
namespace {

Result<std::shared_ptr<PackageRunner>> LoadAndProbe(const RunnerLoader& loader,
                                                    const std::string& path,
                                                    const task::OwnDirectories& files, bool probe) {
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<PackageRunner> runner, loader(path, files));
  if (probe) FERRY_TRY(runner->Probe());
  return runner;
}

}  // namespace

Tasks::Tasks(sys::Executor& home, task::TaskSet& set, RunnerLoader loader, store::Outbox* outbox,
             OnOutcome on_outcome, std::function<void(bool)> on_rows)
    : home_(home), set_(set), loader_(std::move(loader)) {
  auto back = alive_.Guard([this, on_outcome = std::move(on_outcome)](
                               const TaskOutcome& outcome, const task::HostStats& stats) {
    if (outcome.outcome.fired) TakeStats(outcome.package, stats);
    on_outcome(outcome);
  });
  task::TaskGroupOptions options;
  options.name = kTaskGroup;
  options.outbox = outbox;
  options.with_stats = true;
  if (on_rows)
    options.on_rows = [&home, rows = alive_.Guard(std::move(on_rows))](bool realtime) {
      home.Post([rows, realtime]() mutable { rows(realtime); });
    };
  options.max_lane_events = kMaxLaneEvents;
  options.on_outcome = [&home, back = std::move(back)](TaskOutcome outcome,
                                                       const task::RunningTask& task) {
    task::HostStats stats = task.stats();
    if (outcome.stats != nullptr) {
      task::HostStats then = *outcome.stats;
      then.events = stats.events;
      then.streams = std::move(stats.streams);
      then.rules = std::move(stats.rules);
      then.rows_uploaded = stats.rows_uploaded;
      then.rows_refused = stats.rows_refused;
      then.table_errors = stats.table_errors;
      stats = std::move(then);
    }
    home.Post([outcome = std::move(outcome), stats = std::move(stats), back]() mutable {
      back(outcome, stats);
      outcome.waits = nullptr;
    });
  };
  group_ = set.MakeGroup(std::move(options));
}

void Tasks::Prepare(const std::string& path, const task::OwnDirectories& files, bool probe,
                    OnPrepared done) {
  group_->Prepare([&home = home_, loader = loader_, path, files, probe,
                   answer = alive_.Guard(std::move(done))]() mutable {
    auto result = std::make_shared<Result<std::shared_ptr<PackageRunner>>>(
        LoadAndProbe(loader, path, files, probe));
    home.Post([result, answer]() mutable { answer(std::move(*result)); });
  });
}

void Tasks::Aside(std::function<Status()> work, std::function<void(const Status&)> done) {
  group_->Prepare(
      [&home = home_, work = std::move(work), answer = alive_.Guard(std::move(done))]() mutable {
        home.Post([status = work(), answer]() mutable { answer(status); });
      });
}

Status Tasks::Use(const std::string& package, const std::string& version,
                  const std::string& release, std::shared_ptr<PackageRunner> runner) {
  FERRY_TRY(group_->Use(package, version, release, std::move(runner)));
  Summary& summary = summaries_[package];
  summary.version = version;
  summary.release = release;
  summary.stats = nullptr;
  return OkStatus();
}

void Tasks::Remove(const std::string& package, std::function<void()> done) {
  summaries_.erase(package);
  group_->Remove(package,
                 [&home = home_, answer = alive_.Guard(std::move(done))] { home.Post(answer); });
}

void Tasks::SetRelease(const std::string& package, const std::string& release) {
  if (!summaries_.contains(package)) return;
  summaries_[package].release = release;
  group_->SetRelease(package, release);
}

void Tasks::TakeStats(const std::string& package, const task::HostStats& stats) {
  const auto found = summaries_.find(package);
  if (found == summaries_.end()) return;  // it was removed
  Summary& summary = found->second;
  // Counters of a host only grow; smaller ones are those of a version that came after.
  const task::HostStats* before = summary.stats.get();
  if (before != nullptr && stats.fired < before->fired) before = nullptr;
  summary.inferences += stats.inferences - (before != nullptr ? before->inferences : 0);
  summary.task_errors += stats.errors - (before != nullptr ? before->errors : 0);
  summary.stats = std::make_shared<const task::HostStats>(stats);
}

Status Tasks::Deliver(event::Event event, std::function<void()> done) {
  return set_.Send(std::move(event), std::move(done));
}

Status Tasks::Call(const std::string& package, const std::string& function, Json argument,
                   uint64_t call) {
  return group_->Call(package, function, std::move(argument), call);
}

void Tasks::FindModel(const std::string& package, const std::string& model, OnModel done) {
  auto answer = alive_.Guard(std::move(done));
  const bool runs =
      group_->Run(package, [&home = home_, model, answer](const task::RunningTask& task) mutable {
        const auto find = [&]() -> Result<InstalledModel> {
          FERRY_ASSIGN_OR_RETURN(auto found, task.runner->LanguageModel(model));
          return InstalledModel{std::move(found), task.package, task.version};
        };
        home.Post([result = find(), answer]() mutable { answer(std::move(result)); });
      });
  if (runs) return;
  home_.Post([answer, package]() mutable {
    answer(Status::Of(Code::kNotFound, "package {} is not installed", package));
  });
}

void Tasks::ReadFile(const std::string& package, const std::string& name,
                     std::function<void(Result<Bytes>)> done) {
  const auto task = group_->Find(package);
  auto found = task != nullptr
                   ? task->runner->ReadFile(name)
                   : Status::Of(Code::kNotFound, "package {} is not installed", package);
  home_.Post([found = std::move(found), answer = alive_.Guard(std::move(done))]() mutable {
    answer(std::move(found));
  });
}

std::optional<task::HostStats> Tasks::StatsNow(const std::string& package) const {
  const auto task = group_->Find(package);
  if (task == nullptr) return std::nullopt;
  return task->stats();
}

Result<store::ErasedCounts> Tasks::Erase(uint64_t position) {
  return group_->Erase(position);
}

void Tasks::Close(std::function<void()> done) {
  group_->Close([&home = home_, answer = alive_.Guard(std::move(done))] { home.Post(answer); });
}

}  // namespace ferry::agent
