// One job of the scheduler. Its fields are under the scheduler's mutex, but for those of the job's
// own thread.
#pragma once

#include <atomic>

#include "device-runtime/vm/schedule/scheduler.h"

namespace ferry::vm {

class Scheduler::Entry : public Pacer {
 public:
  Entry(Scheduler& scheduler, JobId job_id, JobOptions job_options)
      : id(job_id), options(std::move(job_options)), scheduler_(scheduler) {}

  // ---- turns.cc ----
  Status Pace(int64_t steps) override;
  void BeginLong() override;
  void EndLong() override;

  const JobId id;
  const JobOptions options;
  Job job;  // of Post
  Done done;
  State state = State::kWaiting;
  Owner* owner = nullptr;
  int64_t since_ns = 0;  // when it began to wait
  std::atomic<bool> cancelled{false};
  std::condition_variable turn;
  // These are for the job's thread alone.
  int64_t uncharged = 0;  // steps since the last Charge
  int long_depth = 0;

 private:
  Scheduler& scheduler_;
};

}  // namespace ferry::vm
