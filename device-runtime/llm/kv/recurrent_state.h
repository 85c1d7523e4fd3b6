// What layers that step keep of one sequence: the state after its last position, copies of earlier
// ones, and the inputs of the last positions, from which any state not far back is made again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/tensor/buffer.h"

namespace ferry::llm {

// Going back this far, or less, never reads a token again.
inline constexpr int64_t kStateReach = 64;

// One thread at a time; within a pass, different parts of a layer's state on different threads.
class RecurrentState {
 public:
  // For the layers that have a state. kOutOfMemory.
  static Result<std::unique_ptr<RecurrentState>> Create(std::span<const KvLayer> layers);

  // The position that all states belong to: how many inputs went into them.
  int64_t position() const { return position_; }
  // A block steps `state` from position() to the end of its pass and writes each new position's
  // input before. After the step that ends a multiple of kStateReach, it copies the state to
  // `saved` of that multiple.
  float* state(int64_t layer) { return At(layer, 0); }
  float* saved(int64_t layer, int64_t multiple);
  // The last kKept positions.
  float* input(int64_t layer, int64_t position);
  // All layers have come to `length`.
  void Advance(int64_t length);

  // Goes back to `length` or, where that is too far, to 0; returns which. position() is then at or
  // before it: the next pass steps through inputs that are kept.
  int64_t Truncate(int64_t length);
  Result<std::unique_ptr<RecurrentState>> Copy() const;

 private:
  static constexpr int64_t kSlots = 2;
  // Inputs behind the older copy, and those before it that a convolution looks at.
  static constexpr int64_t kKept = 3 * kStateReach;
  struct Layer {
    int64_t state_floats = 0;
    int64_t input_floats = 0;
    int64_t begin = 0;  // of its floats: state, copies, inputs
  };
  RecurrentState() = default;
  float* At(int64_t layer, int64_t offset) const;

  std::vector<Layer> layers_;
  tensor::Buffer memory_;
  int64_t position_ = 0;
  int64_t written_ = 0;            // positions whose inputs were written, the most there were
  int64_t saved_at_[kSlots] = {};  // the positions of copies; 0: none
};

}  // namespace ferry::llm
