// Lane: what happens to one task, in order, beside other tasks.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "common/sys/executor.h"
#include "device-runtime/task/durable/held_runs.h"

namespace ferry::task {

// Any thread may call; the work runs on the lane's.
class Lane {
 public:
  // Null: its work runs on `shared`, beside that of others. `shared` outlives the lane.
  Lane(std::unique_ptr<sys::Executor> own, sys::Executor& shared, sys::Clock& clock)
      : state_(std::make_shared<State>(clock)),
        own_(std::move(own)),
        executor_(own_ != nullptr ? *own_ : shared) {}

  // Runs `work` when all runs before it are durable and handed on.
  void Run(sys::Task work) {
    Post([work = std::move(work)](HeldRuns& held) {
      held.Settle();
      work();
    });
  }
  // Runs `work`, which may add to what is held; that is settled when nothing more waits.
  void RunMatch(std::function<void(HeldRuns&)> work) { Post(std::move(work)); }
  // Begun or not, but not ended.
  size_t waiting() const { return state_->waiting; }

 private:
  struct State {
    explicit State(sys::Clock& clock) : held(clock) {}
    std::atomic<size_t> waiting = 0;
    HeldRuns held;
  };
  void Post(std::function<void(HeldRuns&)> work) {
    ++state_->waiting;
    executor_.Post([state = state_, work = std::move(work)] {
      work(state->held);
      if (state->waiting == 1 || state->held.due()) state->held.Settle();
      --state->waiting;
    });
  }

  std::shared_ptr<State> state_;
  std::unique_ptr<sys::Executor> own_;  // ends with the lane: waits for what runs, drops the rest
  sys::Executor& executor_;
};

// Calls `done` once, when it has been called as often as there are pieces. Copies count together.
class WhenAll {
 public:
  WhenAll(size_t pieces, sys::Task done)
      : state_(std::make_shared<State>(pieces, std::move(done))) {}
  void operator()() const {
    if (state_->left.fetch_sub(1) == 1) state_->done();
  }

 private:
  struct State {
    State(size_t n, sys::Task f) : left(n), done(std::move(f)) {}
    std::atomic<size_t> left;
    sys::Task done;
  };
  std::shared_ptr<State> state_;
};

}  // namespace ferry::task
