// Arithmetic on 8-bit tensors: convolutions and products of u8 or i8 activations with i8 weights,
// depthwise ones, pools, tables. Sums are 32-bit integers and exact (they wrap); what follows is
// float32, each operation rounded once and in the order written below, so that every instruction
// set gives the same bits. Products share the packed panels and the row pointers of gemm: no
// im2col.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/conv/conv.h"
#include "device-runtime/kernels/pool/pool.h"
#include "device-runtime/kernels/quant/types.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

// A convolution of (x - x_zero) with weights; positions outside the input count as x_zero, that is
// as zero. A product of m rows is one of a kernel of 1x1 over an image m high and 1 wide.
struct QuantConv {
  ConvShape shape;
  bool x_signed = false;
  int32_t x_zero = 0;  // in x's type
};

// Bytes of packed weights (a multiple of 4), and the packing. Weights are i8 in the order of
// ConvShape.
size_t QuantPackedSize(const KernelTable& table, const ConvShape& shape);
void QuantPack(const KernelTable& table, const ConvShape& shape, const int8_t* weights,
               uint8_t* packed);
// Bytes of workspace for one run.
size_t QuantWorkspaceSize(const KernelTable& table, const ConvShape& shape);
// What runs: "depthwise", "lines" (few channels: whole kernel rows), "pointwise", "indirect".
const char* QuantConvName(const ConvShape& shape);
// `bias` (of each output channel, or null) is added to the sums. x, y NHWC, dense; y overlaps
// nothing.
void RunQuantConv(const KernelTable& table, sys::Parallel& parallel, const QuantConv& conv,
                  const uint8_t* x, const uint8_t* packed, const int32_t* bias,
                  const QuantEpilogue& epilogue, void* y, uint8_t* workspace);

// The same convolution, bit for bit, by Winograd's F(4x4, 3x3) in whole numbers (winograd.cc): a
// quarter of the products, of 16 bits each. Whether it is exact depends on the weights: their sum
// of magnitudes of a channel stays below 2^17. Eight times the memory of the weights. The rest as
// above; only for what Runs, and worth it where it Pays.
bool QuantWinogradRuns(const KernelTable& table, const ConvShape& shape, const int8_t* weights);
bool QuantWinogradPays(const KernelTable& table, const ConvShape& shape);
size_t QuantWinogradPackedSize(const KernelTable& table, const ConvShape& shape);
void QuantWinogradPack(const KernelTable& table, const ConvShape& shape, const int8_t* weights,
                       uint8_t* packed);
size_t QuantWinogradWorkspace(const KernelTable& table, const ConvShape& shape);
void RunQuantWinograd(const KernelTable& table, sys::Parallel& parallel, const QuantConv& conv,
                      const uint8_t* x, const uint8_t* packed, const int32_t* bias,
                      const QuantEpilogue& epilogue, void* y, uint8_t* workspace);

// The largest element of each window; one without any position inside gives the type's smallest.
void QuantMaxPool(const KernelTable& table, sys::Parallel& parallel, const PoolShape& shape,
                  bool is_signed, const uint8_t* x, uint8_t* y);
// The mean of (x - x_zero): the sum over a window, in integers, times factor / count (divided
// first), goes through the epilogue (its factor and offset are not read; no addend). A window
// without any position that counts gives a sum of 0.
void QuantAveragePool(const KernelTable& table, sys::Parallel& parallel, const PoolShape& shape,
                      bool counts_padding, bool x_signed, int32_t x_zero, float factor,
                      const QuantEpilogue& epilogue, const uint8_t* x, void* y);

// QuantizeLinear of float32 x [outer, channels, plane] to bytes y [outer, plane, channels], up to
// kMaxInterleaved channels: nearest(x / scale) + zero, saturated; NaN becomes the smallest.
inline constexpr int64_t kMaxInterleaved = 4;
void QuantizeBytes(const KernelTable& table, sys::Parallel& parallel, int64_t outer,
                   int64_t channels, int64_t plane, float scale, int32_t zero, bool is_signed,
                   const float* x, uint8_t* y);

// y of a [outer, repeat, inner] and b [outer, inner], bytes all (types.h).
void QuantBinary(const KernelTable& table, sys::Parallel& parallel, const QuantBinaryShape& shape,
                 const uint8_t* a, const uint8_t* b, uint8_t* y);

// y = entries[x], of bytes; there are 256 entries.
void MapBytes(const KernelTable& table, sys::Parallel& parallel, int64_t count,
              const uint8_t* entries, const uint8_t* x, uint8_t* y);

}  // namespace ferry::kernels
