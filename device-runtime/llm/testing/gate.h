// Keeps forward passes from going on until a test lets them.
#pragma once

#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include "common/sys/clock.h"
#include "common/sys/executor.h"

namespace ferry::llm::testing {

// The clock of a batcher, at which a pass looks before it begins: on the thread of `passes` that
// look takes until Open. Once opened, it stays open.
class Gate : public sys::Clock {
 public:
  explicit Gate(sys::Executor& passes) {
    std::promise<std::thread::id> known;
    passes.Post([&] { known.set_value(std::this_thread::get_id()); });
    thread_ = known.get_future().get();
  }
  int64_t NowUnixMs() const override { return sys::SystemClock().NowUnixMs(); }
  int64_t MonotonicNs() const override {
    if (std::this_thread::get_id() == thread_) {
      if (!std::exchange(begun_, true)) reached_.set_value();
      opened_.wait();
    }
    return sys::SystemClock().MonotonicNs();
  }
  // Until a pass is about to begin; false: none did for a minute.
  bool WaitUntilReached() {
    return reached_.get_future().wait_for(std::chrono::minutes(1)) == std::future_status::ready;
  }
  void Open() { open_.set_value(); }

 private:
  std::thread::id thread_;
  mutable bool begun_ = false;  // on that thread
  mutable std::promise<void> reached_;
  std::promise<void> open_;
  std::shared_future<void> opened_ = open_.get_future().share();
};

}  // namespace ferry::llm::testing
