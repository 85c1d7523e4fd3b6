// What one rendering may use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/status.h"
#include "device-runtime/llm/template/chat_template.h"

namespace ferry::llm::jinja {

inline constexpr int kMaxTemplateDepth = 128;  // of syntax, of values, of running calls
inline constexpr size_t kMaxTemplateValueBytes = 256 << 20;  // made in one rendering

// One thread.
class Budget {
 public:
  Status Step() {
    if (--steps_ >= 0) return OkStatus();
    return Status::Of(Code::kLimitExceeded, "the template takes over {} steps", kMaxTemplateSteps);
  }
  Status Charge(size_t bytes) {
    if (bytes > bytes_) {
      bytes_ = 0;
      return Status::Of(Code::kLimitExceeded, "the template makes over {} bytes of values",
                        kMaxTemplateValueBytes);
    }
    bytes_ -= bytes;
    return OkStatus();
  }

 private:
  int64_t steps_ = kMaxTemplateSteps;
  size_t bytes_ = kMaxTemplateValueBytes;
};

}  // namespace ferry::llm::jinja
