// Memory for the activations of plans of which one runs at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "device-runtime/tensor/buffer.h"

namespace ferry::engine {

// What lies here is lost when it grows or shrinks: plans are told where they lie before they run
// (MoveToArena, engine/plan.h). One thread at a time.
class Arena {
 public:
  // Counts on `budget`, which may be null.
  explicit Arena(std::shared_ptr<tensor::MemoryBudget> budget) : budget_(std::move(budget)) {}

  // Makes room for `bytes` at least. Where lengths change from run to run it grows by a quarter
  // more than is asked, if there is memory for that, and gives back what runs have not needed for
  // long. kOutOfMemory: then it is empty.
  Status Hold(int64_t bytes);
  uint8_t* data() const { return buffer_.data(); }
  int64_t size() const { return buffer_.size(); }

 private:
  Status Take(int64_t bytes);

  std::shared_ptr<tensor::MemoryBudget> budget_;
  tensor::Buffer buffer_;
  int64_t recent_ = 0;  // what plans asked for lately: goes down slowly
};

}  // namespace ferry::engine
