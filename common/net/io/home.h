// The way from socket threads back to a user's executor, which may go away. For this room only.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "common/sys/executor.h"

namespace ferry::net {

// Any thread. Once Leave has returned, the executor is not touched any more.
class Home : public std::enable_shared_from_this<Home> {
 public:
  explicit Home(sys::Executor& executor) : executor_(&executor) {}
  // False, without running it, after Leave.
  bool Post(sys::Task task) {
    std::lock_guard lock(mutex_);
    if (executor_ == nullptr) return false;
    executor_->Post(std::move(task));
    return true;
  }
  // The same, and a task that waits on the executor when Leave is called there is dropped, too.
  bool PostUnlessLeft(sys::Task task) {
    return Post([self = shared_from_this(), task = std::move(task)] {
      if (!self->left_) task();
    });
  }
  void Leave() {
    std::lock_guard lock(mutex_);
    executor_ = nullptr;
    left_ = true;
  }

 private:
  std::mutex mutex_;
  sys::Executor* executor_;
  std::atomic<bool> left_ = false;
};

}  // namespace ferry::net
