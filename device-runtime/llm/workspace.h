// The scratch memory of forward passes, taken once.
//
//   FERRY_ASSIGN_OR_RETURN(llm::Workspace workspace, model->NewWorkspace(128));
#pragma once

#include <cstdint>

#include "common/base/status.h"
#include "device-runtime/kernels/attention/attention.h"
#include "device-runtime/llm/adapter/adapter.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/tensor/buffer.h"

namespace ferry::llm {

// Rows whose logits are computed together when they cannot be written where they are wanted.
inline constexpr int64_t kLogitRows = 32;
// Rows that meet an adapter together.
inline constexpr int64_t kLowRankRows = 64;

// A token of a forward pass.
struct RowPlace {
  int64_t chunk = 0;
  int64_t position = 0;     // in its sequence
  float* logits = nullptr;  // null: not wanted
};

// Sees what products read, for calibration.
class ProductObserver {
 public:
  virtual ~ProductObserver() = default;
  // `count` rows, `stride` floats apart, that are about to meet `weights`.
  virtual void See(const Matrix& weights, const float* x, int64_t stride, int64_t count) = 0;
};

// Movable. One forward pass at a time; passes of any model with the same WorkspaceShape.
class Workspace {
 public:
  // For forward passes of up to `tokens` (1 to kMaxChunkTokens) tokens of all chunks together.
  // kInvalidArgument, kOutOfMemory.
  static Result<Workspace> Create(const ModelConfig& config, int64_t tokens);
  static int64_t Bytes(const ModelConfig& config, int64_t tokens);

  int64_t tokens() const { return tokens_; }

  // Areas of a pass, row-major; for the files in arch/.
  float* stream = nullptr;       // [tokens][hidden]: what flows from block to block
  float* normed = nullptr;       // [tokens][hidden]: a block's input
  float* second = nullptr;       // [tokens][hidden]: that of a block beside it
  float* added = nullptr;        // [tokens][hidden]: what a block adds, before its norm
  float* scratch = nullptr;      // [tokens * shape.scratch], a block's own
  uint8_t* quantized = nullptr;  // [tokens][shape.quantized_bytes]: rows in 8 bits
  float* cosines = nullptr;      // of one kind of positions after another
  float* sines = nullptr;
  float* logits = nullptr;                // [kLogitRows][vocabulary]
  float* low = nullptr;                   // [kLowRankRows][kMaxAdapterRank]: adapters' A x
  int64_t* gathered = nullptr;            // [tokens]: places of rows that experts gather
  RowPlace* places = nullptr;             // [tokens]
  kernels::AttentionRow* rows = nullptr;  // [tokens]
  ProductObserver* observer = nullptr;    // borrowed; null: nobody looks

 private:
  Workspace() = default;
  tensor::Buffer memory_;
  int64_t tokens_ = 0;
};

}  // namespace ferry::llm
