// Lane: what happens to one task, in order, beside other tasks.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "common/sys/executor.h"

namespace ferry::task {

// Any thread may call; the work runs on the lane's.
class Lane {
 public:
  // Null: its work runs on `shared`, beside that of others. `shared` outlives the lane.
  Lane(std::unique_ptr<sys::Executor> own, sys::Executor& shared)
      : own_(std::move(own)), executor_(own_ != nullptr ? *own_ : shared) {}

  void Run(sys::Task work) {
    ++*waiting_;
    executor_.Post([waiting = waiting_, work = std::move(work)] {
      work();
      --*waiting;
    });
  }
  // Begun or not, but not ended.
  size_t waiting() const { return *waiting_; }

 private:
  const std::shared_ptr<std::atomic<size_t>> waiting_ = std::make_shared<std::atomic<size_t>>(0);
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
