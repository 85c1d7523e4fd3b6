// A node of several looks whether a root came by another one, and takes up the keys that it names.
#pragma once

#include <string>

#include "cloud-server/registry/registry.h"
#include "common/sys/executor.h"

namespace ferry::server {

inline constexpr int64_t kRootLookMs = 5'000;

class RootWatch {
 public:
  // All of it runs on `executor`, which is closed before this goes.
  explicit RootWatch(sys::Executor& executor) : executor_(executor) {}

  // `registry` outlives the executor's work. Looks every kRootLookMs; a trouble is logged when it
  // begins and when it ends.
  void Start(Registry* registry);

 private:
  void Look();

  sys::Executor& executor_;
  Registry* registry_ = nullptr;
  std::string trouble_;  // "": none
};

}  // namespace ferry::server
