// Scheduler: shares a number of processors between running tasks. A job has the turn or waits for
// it; running scripts give it up at safe points (Pacer), so an endless loop delays others by some
// milliseconds, and a long native call gives it up for as long as it takes. Shares are
// fair by virtual time. Source: stride scheduling (Waldspurger and Weihl, 1995).
//
//   vm::Scheduler scheduler({.slots = 4});
//   scheduler.Post({.owner = "digits"}, [&](vm::Pacer& pacer) {
//     isolate->SetPacer(&pacer);
//     return isolate->Call(entry, args).status();
//   }, [](const Status& status) { ... });
//
// Who goes first: the higher priority, then the earlier deadline, then the owner that has had the
// least steps for its weight, then the older job. A job that waited kAgingNs counts as one priority
// higher for each such time: nobody starves.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "device-runtime/vm/schedule/pacer.h"

namespace ferry::vm {

enum class Priority : int { kIdle, kNormal, kUrgent };

inline constexpr int64_t kAgingNs = 250'000'000;
inline constexpr int64_t kTurnSteps = 200'000;  // a script keeps the turn for, when others wait
inline constexpr int kMaxWeight = 100;

struct JobOptions {
  std::string owner;  // shares are between owners
  int weight = 1;     // the owner's share; 1..kMaxWeight, the last job's counts
  Priority priority = Priority::kNormal;
  // On the clock of Clock::MonotonicNs: later the job does not begin, or its script ends:
  // kDeadlineExceeded.
  int64_t deadline_ns = INT64_MAX;
};

class Scheduler {
 public:
  struct Options {
    int slots = 0;    // jobs that run at once; 0: one for each processor
    int threads = 0;  // jobs that have begun and not ended; 0: 4 * slots + 4
    size_t max_jobs = 10'000;
    sys::Clock* clock = nullptr;  // null: the machine's; outlives the scheduler
    // Makes the threads; null: sys::StartThreadExecutor.
    std::function<std::unique_ptr<sys::Executor>()> executor;
  };
  using JobId = uint64_t;
  using Job = std::function<Status(Pacer& pacer)>;
  // Once for each job, with what it gave; kCancelled or kDeadlineExceeded when it never began. On a
  // thread of the scheduler, or in Cancel or the destructor.
  using Done = std::function<void(const Status& status)>;

  explicit Scheduler(Options options);
  ~Scheduler();  // cancels all jobs and waits for those that run; not from a job
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Any thread. kLimitExceeded when max_jobs are there.
  Result<JobId> Post(JobOptions options, Job job, Done done);
  // Runs the job on the calling thread, when it is its turn.
  Status RunHere(JobOptions options, const Job& job);
  // Any thread. A running job's script ends at its next safe point with kCancelled; an unknown or
  // ended job is ignored.
  void Cancel(JobId id);
  // All jobs of an owner that are there now.
  void CancelOwner(std::string_view owner);

  struct OwnerStats {
    std::string owner;
    int64_t steps = 0;  // since it last had no job
    int jobs = 0;
  };
  std::vector<OwnerStats> owners() const;
  size_t jobs() const;  // not ended

 private:
  struct Owner {
    int64_t steps = 0;
    int64_t virtual_steps = 0;  // steps for one unit of weight
    int weight = 1;
    int jobs = 0;
  };
  class Entry;
  enum class State { kWaiting, kWantsTurn, kHasTurn, kLong };

  std::unique_ptr<Entry> MakeEntry(JobOptions options);
  void Remove(Entry& entry);
  void Drop(std::unique_ptr<Entry> entry, const Status& status);
  void RunEntry(Entry* entry, sys::Executor* worker);
  Status Finish(Entry& entry, const Job& job);

  // ---- turns.cc ----
  // turns.cc; the mutex is held.
  void GiveTurns();
  Entry* Best();
  bool Before(const Entry& a, const Entry& b, int64_t now) const;
  bool HasWorker();
  void Charge(Entry& entry);
  void LeaveTurn(Entry& entry, State state);
  void AwaitTurn(std::unique_lock<std::mutex>& lock, Entry& entry);
  void StartEntry(Entry& entry);

  const Options options_;
  sys::Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool stopping_ = false;
  JobId next_id_ = 1;
  int running_ = 0;              // have the turn
  std::atomic<int> wanting_{0};  // wait for it
  int64_t virtual_now_ = 0;      // of the owner that had the last turn: newcomers start here
  std::map<JobId, std::unique_ptr<Entry>> entries_;
  std::map<std::string, Owner> owners_;
  std::vector<sys::Executor*> idle_;
  std::vector<std::unique_ptr<sys::Executor>> workers_;  // last: their tasks use the rest
};

}  // namespace ferry::vm
