#include "device-runtime/agent/run/tasks.h"

namespace ferry::agent {
namespace {

Result<std::shared_ptr<PackageRunner>> LoadAndProbe(const RunnerLoader& loader,
                                                    const std::string& path, bool probe) {
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<PackageRunner> runner, loader(path));
  if (probe) FERRY_TRY(runner->Probe());
  return runner;
}

}  // namespace

Tasks::Tasks(sys::Executor& home, sys::Executor& worker, RunnerLoader loader, OnOutcome on_outcome)
    : home_(home), worker_(worker), loader_(std::move(loader)), on_outcome_(std::move(on_outcome)) {
  ScheduleAdvance();
}

Tasks::~Tasks() {
  home_.Cancel(advance_);
  // The last owner of the runners is a task of the worker, where they live.
  worker_.Post([work = std::move(work_)] { work->entries.clear(); });
}

void Tasks::Prepare(const std::string& path, bool probe, OnPrepared done) {
  worker_.Post([&home = home_, loader = loader_, path, probe,
                answer = alive_.Guard(std::move(done))]() mutable {
    auto result =
        std::make_shared<Result<std::shared_ptr<PackageRunner>>>(LoadAndProbe(loader, path, probe));
    home.Post([result, answer]() mutable { answer(std::move(*result)); });
  });
}

void Tasks::Use(const std::string& package, const std::string& version, const std::string& release,
                std::shared_ptr<PackageRunner> runner) {
  Summary& summary = summaries_[package];
  summary.version = version;
  summary.release = release;
  summary.stats = {};
  worker_.Post([work = work_, package, version, release, runner = std::move(runner)] {
    Entry& entry = work->entries[package];
    if (entry.runner) entry.runner->Close();
    entry = Entry{version, release, runner};
  });
}

void Tasks::SetRelease(const std::string& package, const std::string& release) {
  summaries_[package].release = release;
  worker_.Post([work = work_, package, release] {
    const auto entry = work->entries.find(package);
    if (entry != work->entries.end()) entry->second.release = release;
  });
}

void Tasks::TakeStats(const std::string& package, const task::HostStats& stats) {
  Summary& summary = summaries_[package];
  // Counters of a host only grow; smaller ones are those of a version that came after.
  const bool same = stats.fired >= summary.stats.fired;
  summary.inferences += stats.inferences - (same ? summary.stats.inferences : 0);
  summary.task_errors += stats.errors - (same ? summary.stats.errors : 0);
  summary.stats = stats;
}

Status Tasks::Deliver(const event::Event& event) {
  if (queued_ >= kMaxQueuedEvents) {
    return Status::Of(Code::kLimitExceeded, "{} events wait for the tasks already", queued_);
  }
  ++queued_;
  auto back = alive_.Guard([this](const std::vector<TaskOutcome>& outcomes,
                                  const std::map<std::string, task::HostStats>& stats) {
    --queued_;
    for (const auto& [package, numbers] : stats) TakeStats(package, numbers);
    for (const TaskOutcome& outcome : outcomes) on_outcome_(outcome);
  });
  worker_.Post([&home = home_, work = work_, event, back]() mutable {
    std::vector<TaskOutcome> outcomes;
    std::map<std::string, task::HostStats> stats;
    for (auto& [package, entry] : work->entries) {
      task::EventOutcome outcome = entry.runner->OnEvent(event);
      if (outcome.fired) stats[package] = entry.runner->stats();
      if (outcome.fired || !outcome.error.ok() || !outcome.stream_error.ok()) {
        outcomes.push_back({package, entry.version, entry.release, std::move(outcome)});
      }
    }
    home.Post([outcomes = std::move(outcomes), stats = std::move(stats), back]() mutable {
      back(outcomes, stats);
    });
  });
  return OkStatus();
}

void Tasks::FindModel(const std::string& package, const std::string& model, OnModel done) {
  worker_.Post([&home = home_, work = work_, package, model,
                answer = alive_.Guard(std::move(done))]() mutable {
    const auto find = [&]() -> Result<InstalledModel> {
      const auto entry = work->entries.find(package);
      if (entry == work->entries.end())
        return Status::Of(Code::kNotFound, "package {} is not installed", package);
      FERRY_ASSIGN_OR_RETURN(auto found, entry->second.runner->LanguageModel(model));
      return InstalledModel{std::move(found), package, entry->second.version};
    };
    home.Post([result = find(), answer]() mutable { answer(std::move(result)); });
  });
}

void Tasks::ScheduleAdvance() {
  advance_ = home_.PostAfter(kAdvanceMs, alive_.Guard([this] {
    worker_.Post([work = work_] {
      for (auto& [package, entry] : work->entries) entry.runner->Advance();
    });
    ScheduleAdvance();
  }));
}

void Tasks::Close(std::function<void()> done) {
  home_.Cancel(advance_);
  worker_.Post([&home = home_, work = work_, answer = alive_.Guard(std::move(done))]() mutable {
    for (auto& [package, entry] : work->entries) entry.runner->Close();
    work->entries.clear();
    home.Post(answer);
  });
}

}  // namespace ferry::agent
