// 2-D convolution of float32 over NHWC activations. No im2col: products read their rows in place
// through pointers (indirect GEMM: Dukhan, "The Indirect Convolution Algorithm", arXiv 1907.02129).
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/epilogue.h"
#include "device-runtime/kernels/gemm/tiles.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

// Input [batch, in_h, in_w, in_c], output [batch, out_h, out_w, out_c], NHWC; pixels may lie
// further apart than their channels. Weights [out_c, in_c / groups, kernel_h, kernel_w], dense
// (ONNX's order). out_h and out_w are the caller's (padding below and to the right is what they
// imply).
struct ConvShape {
  int64_t batch = 1;
  int64_t in_h = 0, in_w = 0, in_c = 0;
  int64_t out_h = 0, out_w = 0, out_c = 0;
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;
  int64_t groups = 1;  // divides in_c and out_c
  // Floats from one pixel to the next; 0: as many as channels.
  int64_t in_stride = 0, out_stride = 0;

  int64_t in_step() const { return in_stride == 0 ? in_c : in_stride; }
  int64_t out_step() const { return out_stride == 0 ? out_c : out_stride; }

  // Whether output pixels depend on the input pixel in their place alone.
  bool is_pointwise() const {
    return kernel_h == 1 && kernel_w == 1 && stride_h == 1 && stride_w == 1 && pad_top == 0 &&
           pad_left == 0 && in_h == out_h && in_w == out_w;
  }

  // Multiplications and additions of the direct algorithm.
  double Flops() const;
};

enum class ConvAlgorithm {
#define FERRY_CONV(name) k##name,
#include "device-runtime/kernels/conv/algorithms.inc"
#undef FERRY_CONV
};
inline constexpr int kConvAlgorithmCount = 0
#define FERRY_CONV(name) +1
#include "device-runtime/kernels/conv/algorithms.inc"
#undef FERRY_CONV
    ;
// "depthwise", "winograd4", ...: what file and row are called.
const char* ConvAlgorithmName(ConvAlgorithm algorithm);

// Each file says what it takes; kIndirect takes everything.
bool ConvSupports(ConvAlgorithm algorithm, const ConvShape& shape);
// A bound of max|y - exact| / max|exact| that the algorithm adds to a plain sum's rounding, for
// inputs and weights that are spread evenly; 0 for those that only sum. Tests measure it.
double ConvError(ConvAlgorithm algorithm);
// Whether the algorithm is a product that Tiles cut.
bool ConvHasTiles(ConvAlgorithm algorithm);

// Floats of packed weights, and the packing (once, when a model is prepared). Conv takes the same
// tiles.
size_t ConvPackedSize(const KernelTable& table, ConvAlgorithm algorithm, const ConvShape& shape);
void ConvPack(const KernelTable& table, ConvAlgorithm algorithm, const ConvShape& shape,
              const float* weights, float* packed, const Tiles& tiles = {});

// Floats of workspace for one run on a Parallel of width `threads`.
size_t ConvWorkspaceSize(const KernelTable& table, ConvAlgorithm algorithm, const ConvShape& shape,
                         int threads);

// Output pixels that kIm2col copies and multiplies at a time: the weights are read once for each.
int64_t Im2colBlockRows(const ConvShape& shape);

// ConvSupports(algorithm, shape) must hold. `output` overlaps neither input nor epilogue.add, whose
// pixels lie as far apart as the output's.
// All but the Winograd ones sum in the order of (kernel row, kernel column, channel).
void Conv(const KernelTable& table, sys::Parallel& parallel, ConvAlgorithm algorithm,
          const ConvShape& shape, const float* input, const float* packed, const Epilogue& epilogue,
          float* output, float* workspace, const Tiles& tiles = {});

}  // namespace ferry::kernels
