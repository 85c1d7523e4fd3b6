// Where code runs: later, on another thread, or in parallel pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace ferry::sys {

using Task = std::function<void()>;

// Runs posted tasks one after another (a strand): tasks of one Executor never overlap, so that a
// component that lives on one executor needs no locks. Post and Cancel may be called from any
// thread.
class Executor {
 public:
  using TimerId = uint64_t;
  virtual ~Executor() = default;
  // Runs `task` soon, after those posted before. Dropped, unrun, when the executor stops.
  virtual void Post(Task task) = 0;
  virtual TimerId PostAfter(int64_t delay_ms, Task task) = 0;
  // A timer that has not started never starts afterwards; an unknown or finished id is ignored.
  virtual void Cancel(TimerId id) = 0;
};

// One thread of its own that runs until it is destroyed (which waits for the running task, not for
// timers).
std::unique_ptr<Executor> StartThreadExecutor(const char* thread_name);

// Splits index ranges over threads; kernels get one passed in and never start threads.
class Parallel {
 public:
  virtual ~Parallel() = default;
  virtual int width() const = 0;  // how many pieces can run at once, at least 1
  // Calls body(begin, end) for disjoint ranges that cover [0, count), pieces of at least `grain`
  // but the last; returns when all are done. The split may depend on width(): bodies must not let
  // results depend on it. Not reentrant.
  virtual void For(int64_t count, int64_t grain,
                   const std::function<void(int64_t, int64_t)>& body) = 0;
};

// All on the calling thread; lives for ever.
Parallel& SerialParallel();
// Whether each thread of a pool stays on a processor of its own (the caller's thread is left
// alone). kDefault: as FERRY_PIN=1 says, else not.
enum class Pinning { kDefault, kPin, kFree };
// `threads` in all, the caller's included; 0 = one per core, or FERRY_THREADS when that is set. A
// pool serves one For at a time. Workers look for work a tenth of a millisecond before they sleep.
std::unique_ptr<Parallel> StartThreadPool(int threads, Pinning pinning = Pinning::kDefault);

}  // namespace ferry::sys
