// What the files of Winograd's algorithms share.
#pragma once

#include "device-runtime/kernels/conv/conv.h"

namespace ferry::kernels {

// Packs 3x3 weights for F(kOut x kOut, 3x3): a packed B a point (gemm.h), one after the other.
template <int kOut>
void PackWinograd(const KernelTable& table, const ConvShape& s, const float* weights, float* packed,
                  const Tiles& tiles);

inline constexpr int kMaxWinogradSlots = 64;

// How a convolution splits into tiles of kOut x kOut outputs, tiles into parts for threads and
// parts into blocks whose points (both sides) stay in the second-level cache. A part runs from
// input to output on one thread, through points of its own: to write what two threads have read
// costs more than what is computed of it. Few tiles under large weights are all in each part, which
// then takes a part of the output's channels (and so of the weights).
template <int kOut>
struct WinogradSplit {
  static constexpr int kPoints = (kOut + 2) * (kOut + 2);

  WinogradSplit(const ConvShape& s, int threads);

  int64_t across, down;  // tiles
  int64_t count;         // of all
  bool by_channels = false;
  int64_t parts = 1;
  int64_t slots = 1;  // parts that run at once, each in a workspace of its own
  int64_t block = 1;  // tiles of a block, at most
  int64_t slot_floats = 0;

  int64_t TileOf(int64_t part) const { return by_channels ? 0 : count * part / parts; }
  int64_t TileEndOf(int64_t part) const { return by_channels ? count : TileOf(part + 1); }
};

}  // namespace ferry::kernels
