// An executor that can be stopped while others still hold it.
#pragma once

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
    if (inner_ != nullptr) inner_->Post(std::move(task));
  }
  TimerId PostAfter(int64_t delay_ms, sys::Task task) override {
    std::lock_guard lock(mutex_);
    return inner_ != nullptr ? inner_->PostAfter(delay_ms, std::move(task)) : 0;
  }
  void Cancel(TimerId id) override {
    std::lock_guard lock(mutex_);
    if (inner_ != nullptr) inner_->Cancel(id);
  }

 private:
  std::mutex closing_;  // before mutex_
  std::mutex mutex_;
  std::unique_ptr<sys::Executor> inner_;
};

}  // namespace ferry::server
