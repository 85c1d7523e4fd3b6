#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "common/sys/polite_executor.h"

namespace ferry::sys {
namespace {

using TimePoint = std::chrono::steady_clock::time_point;

// Tasks wait in one map by (due time, order of posting): those without delay are due at once.
class ThreadExecutor : public Executor {
 public:
  ThreadExecutor(const char* name, bool polite) : thread_([this] { Run(); }) {
    // The kernel keeps 15 characters of a thread's name.
    pthread_setname_np(thread_.native_handle(), std::string(name).substr(0, 15).c_str());
    if (polite) GiveWay();
  }

  ~ThreadExecutor() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void Post(Task task) override { Add(TimePoint::min(), std::move(task)); }

  TimerId PostAfter(int64_t delay_ms, Task task) override {
    // A year at most: adding INT64_MAX would overflow the clock.
    const int64_t bounded = std::clamp<int64_t>(delay_ms, 0, int64_t{365} * 86'400'000);
    return Add(std::chrono::steady_clock::now() + std::chrono::milliseconds(bounded),
               std::move(task));
  }

  void Cancel(TimerId id) override {
    Task dropped;  // destroyed after the lock: what it captured may call back
    std::lock_guard lock(mutex_);
    const auto found = due_.find(id);
    if (found == due_.end()) return;
    const auto at = queue_.find({found->second, id});
    dropped = std::move(at->second);
    queue_.erase(at);
    due_.erase(found);
  }

 private:
  void GiveWay() {
#ifdef SCHED_BATCH
    const sched_param none{};
    pthread_setschedparam(thread_.native_handle(), SCHED_BATCH, &none);
#endif
  }

  TimerId Add(TimePoint due, Task task) {
    TimerId id;
    {
      std::lock_guard lock(mutex_);
      id = next_id_++;
      queue_.emplace(std::pair(due, id), std::move(task));
      due_.emplace(id, due);
    }
    wake_.notify_one();
    return id;
  }

  void Run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (queue_.empty()) {
        wake_.wait(lock);
        continue;
      }
      const auto first = queue_.begin();
      const TimePoint due = first->first.first;
      if (due > std::chrono::steady_clock::now()) {
        wake_.wait_until(lock, due);
        continue;
      }
      Task task = std::move(first->second);
      due_.erase(first->first.second);
      queue_.erase(first);
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
    }
    // Captures may post again while they die: take the tasks out first.
    auto dropped = std::move(queue_);
    queue_.clear();
    due_.clear();
    lock.unlock();
    dropped.clear();
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  TimerId next_id_ = 1;
  std::map<std::pair<TimePoint, TimerId>, Task> queue_;
  std::map<TimerId, TimePoint> due_;
  std::thread thread_;  // last: it uses all above
};

}  // namespace

std::unique_ptr<Executor> StartThreadExecutor(const char* thread_name) {
  return std::make_unique<ThreadExecutor>(thread_name, false);
}

std::unique_ptr<Executor> StartPoliteExecutor(const char* thread_name) {
  return std::make_unique<ThreadExecutor>(thread_name, true);
}

}  // namespace ferry::sys
