// Runs of a lane's tasks that wait to become durable together: one commit of the disk costs more
// than many quick runs. Nobody hears of a run before it is durable. On the lane alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/sys/clock.h"

namespace ferry::task {

struct RunningTask;
struct TaskGroupOptions;
struct TaskOutcome;

inline constexpr size_t kMaxHeldRuns = 256;
inline constexpr int64_t kMaxHeldMs = 20;  // from the end of the first
inline constexpr int64_t kQuickRunMs = 5;  // after a longer run nothing is held: so may the next be

// Events that started tasks and are not yet done.
struct Waiting {
  std::atomic<size_t> events = 0;
  std::atomic<size_t> bytes = 0;  // event::Event::bytes
};

// Counts one event as waiting for as long as it lives, and says when all that it started is done.
class Ticket {
 public:
  // `runs` that an event of `bytes` starts; `done` may be empty.
  Ticket(std::shared_ptr<Waiting> waiting, size_t bytes, size_t runs, std::function<void()> done);
  ~Ticket();  // calls `done`, when every run has ended
  void RunEnded() { --runs_; }

 private:
  std::shared_ptr<Waiting> waiting_;
  size_t bytes_;
  std::atomic<size_t> runs_;
  std::function<void()> done_;
};

struct HeldRun {
  std::shared_ptr<const TaskGroupOptions> options;
  std::shared_ptr<const RunningTask> task;
  std::shared_ptr<Ticket> ticket;
  std::unique_ptr<TaskOutcome> outcome;
};

class HeldRuns {
 public:
  explicit HeldRuns(sys::Clock& clock);
  ~HeldRuns();

  void Add(HeldRun run);
  // They should wait no longer.
  bool due() const;
  // Makes all durable and hands their outcomes on. Where the disk refuses, runs of events that are
  // given again stay for the next time.
  void Settle();

 private:
  sys::Clock& clock_;
  bool quick_ = true;  // the last one was
  int64_t since_ns_ = 0;
  std::vector<HeldRun> runs_;
};

}  // namespace ferry::task
