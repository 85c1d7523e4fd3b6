// An executor that can be stopped while others still hold it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "common/sys/executor.h"

namespace ferry::server {

// Passes tasks on until Close, then drops them: parts of a server that are torn down in turn may
// still post to each other.
class GatedExecutor : public sys::Executor {
 public:
  explicit GatedExecutor(const char* name) : inner_(sys::StartThreadExecutor(name)) {}
  ~GatedExecutor() override { Close(); }

  // Waits for the running task; those that wait are dropped. Not from its own thread.
  void Close() {
    std::unique_ptr<sys::Executor> closing;
    std::lock_guard once(closing_);
    {
      std::lock_guard lock(mutex_);
      closing = std::move(inner_);
    }
  }
  void Post(sys::Task task) override {
    std::lock_guard lock(mutex_);
    if (inner_ != nullptr) inner_->Post(Counted(std::move(task)));
  }
  TimerId PostAfter(int64_t delay_ms, sys::Task task) override {
    std::lock_guard lock(mutex_);
    // It waits from when it is due, which only the inner one knows: counted as it runs.
    return inner_ != nullptr ? inner_->PostAfter(delay_ms, Timed(std::move(task))) : 0;
  }
  void Cancel(TimerId id) override {
    std::lock_guard lock(mutex_);
    if (inner_ != nullptr) inner_->Cancel(id);
  }

  // For GET /metrics. Any thread.
  struct Use {
    int64_t waiting = 0;  // posted, and not begun
    int64_t tasks = 0;    // that ran
    int64_t busy_ns = 0;
    int64_t last_ns = 0;  // how long the last one took
  };
  Use use() const { return {waiting_, tasks_, busy_ns_, last_ns_}; }

 private:
  sys::Task Counted(sys::Task task) {
    ++waiting_;
    return [this, run = Timed(std::move(task))] {
      --waiting_;
      run();
    };
  }
  sys::Task Timed(sys::Task task) {
    return [this, run = std::move(task)] {
      const auto began = std::chrono::steady_clock::now();
      run();
      const auto took = std::chrono::steady_clock::now() - began;
      last_ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
      busy_ns_ += last_ns_;
      ++tasks_;
    };
  }

  std::atomic<int64_t> waiting_ = 0, tasks_ = 0, busy_ns_ = 0, last_ns_ = 0;
  std::mutex closing_;  // before mutex_
  std::mutex mutex_;
  std::unique_ptr<sys::Executor> inner_;
};

}  // namespace ferry::server
