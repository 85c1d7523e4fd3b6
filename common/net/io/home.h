// The way from socket threads back to a user's executor, which may go away. For this room only.
#pragma once

#include <mutex>
#include <utility>

#include "common/sys/executor.h"

namespace ferry::net {

// Any thread. Once Leave has returned, the executor is not touched any more.
class Home {
 public:
  explicit Home(sys::Executor& executor) : executor_(&executor) {}
  // False, without running it, after Leave.
  bool Post(sys::Task task) {
    std::lock_guard lock(mutex_);
    if (executor_ == nullptr) return false;
    executor_->Post(std::move(task));
    return true;
  }
  void Leave() {
    std::lock_guard lock(mutex_);
    executor_ = nullptr;
  }

 private:
  std::mutex mutex_;
  sys::Executor* executor_;
};

}  // namespace ferry::net
