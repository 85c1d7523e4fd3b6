// A pool of threads that all tasks and sessions of a process use.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "common/sys/executor.h"

namespace ferry::task {

// Any thread may call For: whoever finds the pool busy works alone. The pool is never null.
class SharedParallel : public sys::Parallel {
 public:
  explicit SharedParallel(std::unique_ptr<sys::Parallel> pool) : pool_(std::move(pool)) {}
  int width() const override { return pool_->width(); }
  void For(int64_t count, int64_t grain,
           const std::function<void(int64_t, int64_t)>& body) override {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock())
      pool_->For(count, grain, body);
    else if (count > 0)
      body(0, count);
  }

 private:
  std::unique_ptr<sys::Parallel> pool_;
  std::mutex mutex_;
};

}  // namespace ferry::task
