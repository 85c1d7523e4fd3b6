// Counts how deep an evaluation is while it lives.
#pragma once

#include "device-runtime/llm/template/evaluate/evaluator.h"

namespace ferry::llm::jinja {

inline constexpr int kMaxEvaluationDepth = 3 * kMaxTemplateDepth;

class Evaluator::Nested {
 public:
  explicit Nested(int& depth) : depth_(depth) { ++depth_; }
  ~Nested() { --depth_; }
  Status Check() const {
    if (depth_ <= kMaxEvaluationDepth) return OkStatus();
    return Status::Of(Code::kLimitExceeded, "the template runs over {} deep", kMaxEvaluationDepth);
  }

 private:
  int& depth_;
};

}  // namespace ferry::llm::jinja
