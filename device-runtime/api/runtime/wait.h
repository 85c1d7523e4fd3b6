// Work on an executor that the caller waits for. The executors here wait for nobody, so that any
// other thread may wait for them.
#pragma once

#include <functional>
#include <future>

#include "common/sys/executor.h"

namespace ferry::api {

// Runs `body` on `executor` and returns when it is done. Not from a task of that executor.
inline void RunOn(sys::Executor& executor, const std::function<void()>& body) {
  std::promise<void> done;
  executor.Post([&] {
    body();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace ferry::api
