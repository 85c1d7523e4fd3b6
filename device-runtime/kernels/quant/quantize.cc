#include <algorithm>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/quant/kernels.h"
#include "device-runtime/kernels/quant/quant.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kPiece = 1024;  // positions; their bytes lie on the stack until they interleave

template <int64_t kChannels>
void Interleave(const uint8_t (&from)[kMaxInterleaved][kPiece], int64_t count, uint8_t* y) {
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t c = 0; c < kChannels; ++c) y[i * kChannels + c] = from[c][i];
  }
}

}  // namespace

void QuantizeBytes(const KernelTable& table, sys::Parallel& parallel, int64_t outer,
                   int64_t channels, int64_t plane, float scale, int32_t zero, bool is_signed,
                   const float* x, uint8_t* y) {
  const int64_t pieces = (plane + kPiece - 1) / kPiece;
  const int32_t lowest = is_signed ? -128 : 0;
  const auto low = static_cast<float>(lowest - zero);
  const auto high = static_cast<float>(lowest + 255 - zero);
  const auto one = [&](int64_t n, int64_t begin) {
    const int64_t count = std::min(kPiece, plane - begin);
    const float* from = x + n * channels * plane + begin;
    uint8_t* to = y + (n * plane + begin) * channels;
    if (channels == 1) {
      table.quant->quantize({from, count, scale, low, high, zero, to});
      return;
    }
    uint8_t bytes[kMaxInterleaved][kPiece];
    for (int64_t c = 0; c < channels; ++c) {
      table.quant->quantize({from + c * plane, count, scale, low, high, zero, bytes[c]});
    }
    if (channels == 2) Interleave<2>(bytes, count, to);
    if (channels == 3) Interleave<3>(bytes, count, to);
    if (channels == 4) Interleave<4>(bytes, count, to);
  };
  ForPieces(parallel, outer * pieces, channels * kPiece / 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) one(i / pieces, i % pieces * kPiece);
  });
}

}  // namespace ferry::kernels
