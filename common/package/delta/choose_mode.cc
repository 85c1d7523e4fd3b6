// Which numbers a segment is made of, and how long their rows are.
#include <algorithm>
#include <bit>
#include <cmath>

#include "common/package/delta/difference_model.h"
#include "common/package/delta/plan.h"

namespace ferry::package::delta {
namespace {

constexpr size_t kTried = 16384;       // numbers that each mode is tried on
constexpr size_t kRowNumbers = 65536;  // that rows are looked for in
constexpr size_t kSearchEvery = 4;     // pieces of that many numbers
constexpr uint32_t kLeastStride = 8;
constexpr size_t kLeastRows = 4;
constexpr double kClear = 6;  // standard deviations above what chance gives
constexpr double kNearlyAsGood = 0.7;
constexpr double kLeastGain = 0.998;  // of the size without rows

// The bytes that a part of a segment takes, by a model that knows nothing yet.
size_t TriedSize(const uint8_t* base, const uint8_t* target, size_t numbers, Mode mode,
                 uint32_t stride) {
  const unsigned width = WidthOf(mode);
  Bytes out;
  RangeEncoder encoder(out);
  DifferenceModel model(mode);
  model.Begin(stride);
  for (size_t i = 0; i < numbers * width; i += width) {
    const uint32_t from = ReadNumber(base + i, width);
    (void)model.Code(encoder, from, DifferenceOf(mode, from, ReadNumber(target + i, width)));
  }
  encoder.Finish();
  return out.size();
}

// How large each difference is, up to 15 classes: what columns have in common.
std::vector<uint8_t> SizesOf(const uint8_t* base, const uint8_t* target, size_t numbers,
                             Mode mode) {
  const unsigned width = WidthOf(mode);
  std::vector<uint8_t> sizes(numbers);
  for (size_t i = 0; i < numbers; ++i) {
    const uint32_t from = ReadNumber(base + i * width, width);
    const int32_t difference = DifferenceOf(mode, from, ReadNumber(target + i * width, width));
    const auto magnitude = static_cast<uint32_t>(std::abs(int64_t{difference}));
    const unsigned level =
        static_cast<unsigned>(std::bit_width(magnitude)) + ScaleOf(mode, from) / 2;
    sizes[i] = static_cast<uint8_t>(std::min(level, 31U));
  }
  return sizes;
}

// The distance at which sizes are most alike and the least that it is a multiple of and that is
// about as good: one row's length may be either. Empty where none stands out.
std::vector<uint32_t> LikelyStrides(const std::vector<uint8_t>& sizes) {
  const size_t count = sizes.size();
  const auto most = static_cast<uint32_t>(std::min<size_t>(kMaxStride, count / kLeastRows));
  if (most <= kLeastStride) return {};
  double mean = 0, square = 0;
  for (const uint8_t size : sizes) mean += size, square += size * size;
  mean /= static_cast<double>(count);
  const double variance = square / static_cast<double>(count) - mean * mean;
  if (variance <= 0) return {};
  std::vector<double> scores(most + 1, 0);
  uint32_t best = 1;
  double best_score = kClear;
  for (uint32_t stride = kLeastStride; stride <= most; ++stride) {
    uint32_t sum = 0;
    const size_t pairs = std::min(count - stride, kRowNumbers / 4);
    for (size_t i = 0; i < pairs; ++i) sum += uint32_t{sizes[i]} * sizes[i + stride];
    const double alike = sum / static_cast<double>(pairs) - mean * mean;
    scores[stride] = alike / variance * std::sqrt(static_cast<double>(pairs));
    if (scores[stride] > best_score) best_score = scores[stride], best = stride;
  }
  // Multiples of a row are about as much alike.
  for (uint32_t stride = kLeastStride; stride < best; ++stride)
    if (best % stride == 0 && scores[stride] > kNearlyAsGood * best_score) return {best, stride};
  if (best == 1) return {};
  return {best};
}

// The row length for a piece: that of the piece before where it does well, else (of some pieces,
// for the search takes long) what the piece looks like.
uint32_t StrideOf(const uint8_t* base, const uint8_t* target, size_t numbers, Mode mode,
                  uint32_t before, bool search) {
  if (before == 1 && !search) return 1;
  size_t least = TriedSize(base, target, numbers, mode, 1);
  uint32_t out = 1;
  const auto consider = [&](uint32_t stride) {
    const size_t size = TriedSize(base, target, numbers, mode, stride);
    if (static_cast<double>(size) < static_cast<double>(least) * kLeastGain)
      least = size, out = stride;
  };
  if (before != 1) consider(before);
  if (out != 1) return out;
  for (const uint32_t stride : LikelyStrides(SizesOf(base, target, numbers, mode)))
    consider(stride);
  return out;
}

}  // namespace

void ChooseMode(ByteView base, ByteView target, size_t at, Segment segment,
                std::vector<Segment>& out) {
  const unsigned width = WidthOf(segment.mode);
  const size_t numbers = segment.length / width;
  const size_t tried = std::min(numbers, kTried);
  const size_t skipped = (numbers - tried) / 2 * width;
  const uint8_t* from = base.data() + segment.from;
  const uint8_t* to = target.data() + at;
  size_t least = 0;
  for (uint8_t i = static_cast<uint8_t>(Mode::kInt8); i < kModes; ++i) {
    const auto mode = static_cast<Mode>(i);
    if (WidthOf(mode) != width) continue;
    const size_t size = width == 1 ? 1 : TriedSize(from + skipped, to + skipped, tried, mode, 1);
    if (least == 0 || size < least) least = size, segment.mode = mode;
  }
  const size_t first = out.size();
  const size_t piece = kRowNumbers * width;
  for (size_t done = 0; done < segment.length; done += piece) {
    Segment part = segment;
    part.length = static_cast<uint32_t>(std::min<size_t>(piece, segment.length - done));
    part.from += done;
    part.stride =
        StrideOf(from + done, to + done, part.length / width, part.mode,
                 out.size() > first ? out.back().stride : 1, done / piece % kSearchEvery == 0);
    if (out.size() > first && out.back().stride == part.stride) {
      out.back().length += part.length;
    } else {
      out.push_back(part);
    }
  }
}

}  // namespace ferry::package::delta
