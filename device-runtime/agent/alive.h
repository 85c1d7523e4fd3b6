// Callbacks that outlive their object do nothing.
#pragma once

#include <memory>
#include <utility>

#include "common/base/status.h"

namespace ferry::agent {

// A member of the object that callbacks belong to; callbacks run on the object's executor.
class Alive {
 public:
  // `f`, or nothing once this is gone.
  template <typename F>
  auto Guard(F f) const {
    return [weak = std::weak_ptr<const char>(token_), f = std::move(f)](auto&&... args) mutable {
      if (!weak.expired()) f(std::forward<decltype(args)>(args)...);
    };
  }
  // The same for a callback that returns a Status: kCancelled once this is gone.
  template <typename F>
  auto GuardStatus(F f) const {
    return [weak = std::weak_ptr<const char>(token_),
            f = std::move(f)](auto&&... args) mutable -> Status {
      if (weak.expired()) return Status(Code::kCancelled, "no longer wanted");
      return f(std::forward<decltype(args)>(args)...);
    };
  }

 private:
  std::shared_ptr<const char> token_ = std::make_shared<const char>(0);
};

}  // namespace ferry::agent
