// Virtual time: one queue of events, one thread, one seed. Everything in common/sys/sim hangs on
// one SimWorld, so that the same seed gives the same run. Source: FoundationDB's simulation.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/random.h"

namespace ferry::sys {

// One thread only, its executors and what they run included.
class SimWorld {
 public:
  // Virtual time starts at `start_unix_ms`.
  explicit SimWorld(uint64_t seed, int64_t start_unix_ms = 1'767'225'600'000);  // 2026-01-01 UTC
  ~SimWorld();
  SimWorld(const SimWorld&) = delete;

  Clock& clock();
  Random& random() { return random_; }
  // Moves the wall clock (not the monotonic one): someone sets the date.
  void JumpWallClock(int64_t by_ms) { wall_offset_ms_ += by_ms; }

  // An executor of this world; dropping it drops its tasks, as a dead process would. Outlived by
  // the world.
  std::unique_ptr<Executor> MakeExecutor();

  // Runs the next event, moving time to it; false when there is none.
  bool Step();
  // Runs all events up to `ms` from now, and moves time there.
  void RunFor(int64_t ms);
  // Steps until `done()` or `limit_ms` of virtual time have passed; whether it is done.
  bool RunUntil(const std::function<bool()>& done, int64_t limit_ms);
  uint64_t steps() const { return steps_; }

 private:
  friend class SimExecutor;
  class SimClock;
  using Key = std::pair<int64_t, uint64_t>;  // due ns, order of posting
  struct Event {
    const void* owner;
    Task task;
  };
  uint64_t Add(const void* owner, int64_t delay_ms, Task task);
  void Remove(uint64_t id);
  void RemoveAll(const void* owner);

  std::unique_ptr<SimClock> clock_;
  SeededRandom random_;
  int64_t now_ns_ = 0;
  int64_t start_unix_ms_;
  int64_t wall_offset_ms_ = 0;
  uint64_t next_id_ = 1;
  uint64_t steps_ = 0;
  std::map<Key, Event> queue_;
  std::map<uint64_t, int64_t> due_;  // id -> due ns
};

}  // namespace ferry::sys
