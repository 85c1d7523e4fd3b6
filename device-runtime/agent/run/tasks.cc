#include "device-runtime/agent/run/tasks.h"

namespace ferry::agent {
namespace {

Result<std::shared_ptr<PackageRunner>> LoadAndProbe(const RunnerLoader& loader,
                                                    const std::string& path, bool probe) {
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<PackageRunner> runner, loader(path));
  if (probe) FERRY_TRY(runner->Probe());
  return runner;
}

std::unique_ptr<task::Lane> Start(const TaskThreads& threads) {
  return std::make_unique<task::Lane>(threads.start ? threads.start() : nullptr);
}

// One event for one package, on its lane.
TaskOutcome RunOne(const std::string& package, const std::string& version,
                   const std::string& release, PackageRunner& runner, const event::Event& event,
                   size_t before) {
  TaskOutcome out{package, version, release, {}};
  if (before < kMaxLaneEvents) {
    out.outcome = runner.OnEvent(event);
  } else {
    out.outcome.error =
        Status::Of(Code::kLimitExceeded, "{} events wait for {} already", before, package);
  }
  return out;
}

}  // namespace

Tasks::Tasks(sys::Executor& home, sys::Executor& worker, RunnerLoader loader, OnOutcome on_outcome,
             TaskThreads threads)
    : home_(home),
      worker_(worker),
      loader_(std::move(loader)),
      on_outcome_(std::move(on_outcome)),
      threads_(std::move(threads)) {
  work_->preparing = Start(threads_);
  ScheduleAdvance();
}

Tasks::~Tasks() {
  home_.Cancel(advance_);
  CancelAll();
  // The last owner of the runners is a task of the worker.
  worker_.Post([work = std::move(work_)] {
    work->preparing = nullptr;
    work->entries.clear();
  });
}

void Tasks::CancelAll() {
  if (threads_.scheduler == nullptr) return;
  for (const auto& [package, summary] : summaries_) threads_.scheduler->CancelOwner(package);
}

void Tasks::Prepare(const std::string& path, bool probe, OnPrepared done) {
  worker_.Post([&home = home_, work = work_, loader = loader_, path, probe,
                answer = alive_.Guard(std::move(done))]() mutable {
    work->preparing->Run([&home, loader = std::move(loader), path, probe, answer]() mutable {
      auto result = std::make_shared<Result<std::shared_ptr<PackageRunner>>>(
          LoadAndProbe(loader, path, probe));
      home.Post([result, answer]() mutable { answer(std::move(*result)); });
    });
  });
}

void Tasks::Use(const std::string& package, const std::string& version, const std::string& release,
                std::shared_ptr<PackageRunner> runner) {
  Summary& summary = summaries_[package];
  summary.version = version;
  summary.release = release;
  summary.stats = {};
  worker_.Post(
      [work = work_, threads = threads_, package, version, release, runner = std::move(runner)] {
        Entry& entry = work->entries[package];
        if (entry.lane == nullptr) entry.lane = Start(threads);
        if (entry.runner) entry.lane->Run([old = std::move(entry.runner)] { old->Close(); });
        entry.version = version;
        entry.release = release;
        entry.runner = runner;
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
  auto back = alive_.Guard([this](const TaskOutcome& outcome, const task::HostStats& stats) {
    if (outcome.outcome.fired) TakeStats(outcome.package, stats);
    on_outcome_(outcome);
  });
  auto all = alive_.Guard([this] { --queued_; });
  worker_.Post([&home = home_, work = work_, event, back, all]() mutable {
    const task::WhenAll ended(work->entries.size() + 1, [&home, all] { home.Post(all); });
    for (auto& [package, entry] : work->entries) {
      entry.lane->Run([&home, package, version = entry.version, release = entry.release,
                       runner = entry.runner, before = entry.lane->waiting(), event, back, ended] {
        TaskOutcome one = RunOne(package, version, release, *runner, event, before);
        const task::EventOutcome& outcome = one.outcome;
        if (outcome.fired || !outcome.error.ok() || !outcome.stream_error.ok()) {
          home.Post([one = std::move(one), stats = runner->stats(), back]() mutable {
            back(one, stats);
          });
        }
        ended();
      });
    }
    ended();
  });
  return OkStatus();
}

void Tasks::FindModel(const std::string& package, const std::string& model, OnModel done) {
  worker_.Post([&home = home_, work = work_, package, model,
                answer = alive_.Guard(std::move(done))]() mutable {
    const auto entry = work->entries.find(package);
    if (entry == work->entries.end()) {
      home.Post([answer, package]() mutable {
        answer(Status::Of(Code::kNotFound, "package {} is not installed", package));
      });
      return;
    }
    entry->second.lane->Run([&home, package, model, answer, version = entry->second.version,
                             runner = entry->second.runner]() mutable {
      const auto find = [&]() -> Result<InstalledModel> {
        FERRY_ASSIGN_OR_RETURN(auto found, runner->LanguageModel(model));
        return InstalledModel{std::move(found), package, version};
      };
      home.Post([result = find(), answer]() mutable { answer(std::move(result)); });
    });
  });
}

void Tasks::ScheduleAdvance() {
  advance_ = home_.PostAfter(kAdvanceMs, alive_.Guard([this] {
    worker_.Post([work = work_] {
      // Windows of a busy task close when its events are done.
      for (auto& [package, entry] : work->entries)
        if (entry.lane->waiting() == 0)
          entry.lane->Run([runner = entry.runner] { runner->Advance(); });
    });
    ScheduleAdvance();
  }));
}

void Tasks::Close(std::function<void()> done) {
  home_.Cancel(advance_);
  if (threads_.scheduler != nullptr)
    advance_ = home_.PostAfter(kCloseGraceMs, alive_.Guard([this] { CancelAll(); }));
  worker_.Post([&home = home_, &worker = worker_, work = work_,
                answer = alive_.Guard(std::move(done))]() mutable {
    // Lanes end on the worker, because they wait for their threads.
    const task::WhenAll closed(work->entries.size() + 1, [&home, &worker, work, answer] {
      worker.Post([&home, work, answer] {
        work->entries.clear();
        home.Post(answer);
      });
    });
    for (auto& [package, entry] : work->entries) {
      entry.lane->Run([runner = entry.runner, closed] {
        runner->Close();
        closed();
      });
    }
    closed();
  });
}

}  // namespace ferry::agent
