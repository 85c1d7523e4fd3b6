#include <algorithm>

#include "device-runtime/kernels/conv/winograd.h"

namespace ferry::kernels {
namespace {

// Bytes of transformed tiles (both sides) of one block.
constexpr int64_t kSplitBytes = 768 * 1024;
// Fewer would read the weights too often for what they are used; a multiple of every tile height.
constexpr int64_t kMinBlockTiles = 24;
constexpr int64_t kMostParts = 4;  // of a thread: enough to even out
// Under this many tiles a thread, weights of this many bytes go to threads in parts.
constexpr int64_t kFewTiles = 48;
constexpr int64_t kLargeWeights = 4 << 20;
constexpr int64_t kLeastTiles = 12;     // the same whatever the weights' size
constexpr int64_t kLeastChannels = 64;  // of a thread: no panel is wider

}  // namespace

template <int kOut>
WinogradSplit<kOut>::WinogradSplit(const ConvShape& s, int threads)
    : across((s.out_w + kOut - 1) / kOut),
      down((s.out_h + kOut - 1) / kOut),
      count(s.batch * across * down) {
  const int64_t width = std::min(threads, kMaxWinogradSlots);
  const int64_t tile_bytes = kPoints * (s.in_c + s.out_c) * 4;
  const int64_t most = std::max(kMinBlockTiles, kSplitBytes / std::max<int64_t>(1, tile_bytes));
  const bool is_large = kPoints * s.in_c * s.out_c * 4 > kLargeWeights;
  by_channels = count > 0 && width > 1 && s.out_c >= kLeastChannels * width &&
                count < width * (is_large ? kFewTiles : kLeastTiles);
  const int64_t each = std::clamp<int64_t>(count / (kMinBlockTiles * width), 1, kMostParts);
  parts = by_channels ? width : std::clamp<int64_t>(count, 1, width == 1 ? 1 : width * each);
  slots = std::min(width, parts);
  const int64_t part_tiles =
      by_channels ? count : std::max<int64_t>(1, (count + parts - 1) / parts);
  const int64_t blocks = (part_tiles + most - 1) / most;
  block = (part_tiles + blocks - 1) / blocks;
  slot_floats = kPoints * block * (s.in_c + s.out_c);
}

template struct WinogradSplit<2>;
template struct WinogradSplit<4>;
template struct WinogradSplit<6>;

}  // namespace ferry::kernels
