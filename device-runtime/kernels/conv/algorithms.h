// What one convolution algorithm is; a file each, a row each in algorithms.inc. Arguments as in
// conv.h.
#pragma once

#include "device-runtime/kernels/conv/conv.h"

namespace ferry::kernels {

struct ConvRun {
  const KernelTable& table;
  sys::Parallel& parallel;
  const ConvShape& shape;
  const float* input;
  const float* packed;
  const Epilogue& epilogue;
  float* output;
  float* workspace;
  Tiles tiles;
};

struct ConvMethod {
  const char* name;
  bool (*supports)(const ConvShape& shape);
  size_t (*packed_size)(const KernelTable& table, const ConvShape& shape);
  void (*pack)(const KernelTable& table, const ConvShape& shape, const float* weights,
               float* packed, const Tiles& tiles);
  size_t (*workspace_size)(const KernelTable& table, const ConvShape& shape, int threads);
  void (*run)(const ConvRun& run);
  double error = 0;        // see ConvError
  bool has_tiles = false;  // whether Tiles mean anything to it
};

#define FERRY_CONV(name) extern const ConvMethod kConv##name;
#include "device-runtime/kernels/conv/algorithms.inc"
#undef FERRY_CONV

// Shared by what is a plain product over packed weights: one packed B per group, rows in the order
// (kernel row, kernel column, channel).
size_t PackedProductSize(const KernelTable& table, const ConvShape& shape);
void PackProduct(const KernelTable& table, const ConvShape& shape, const float* weights,
                 float* packed, const Tiles& tiles);

inline constexpr int64_t kMaxDepthwiseTaps = 256;  // pointers of one row live on the stack
size_t PackedDepthwiseSize(const ConvShape& shape);
// Weights [channel][tap] to [tap][channel].
void PackDepthwise(const ConvShape& shape, const float* weights, float* packed);
size_t DepthwiseWorkspaceSize(const ConvShape& shape);
void RunDepthwise(const ConvRun& run);

inline size_t NoWorkspace(const KernelTable&, const ConvShape&, int) {
  return 0;
}

}  // namespace ferry::kernels
