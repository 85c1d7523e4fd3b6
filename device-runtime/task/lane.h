// Lane: what happens to one task, in order, beside other tasks. Source: own.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "common/sys/executor.h"

namespace ferry::task {

// Used from one thread; the work runs on the lane's.
class Lane {
 public:
  // Null: work runs at once, on the caller's thread.
  explicit Lane(std::unique_ptr<sys::Executor> executor) : executor_(std::move(executor)) {}

  void Run(sys::Task work) {
    if (executor_ == nullptr) {
      work();
      return;
    }
    ++*waiting_;
    executor_->Post([waiting = waiting_, work = std::move(work)] {
      work();
      --*waiting;
    });
  }
  // Begun or not, but not ended.
  size_t waiting() const { return *waiting_; }

 private:
  std::shared_ptr<std::atomic<size_t>> waiting_ = std::make_shared<std::atomic<size_t>>(0);
  std::unique_ptr<sys::Executor> executor_;
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
