#include "device-runtime/kernels/attention/page.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kLine = 64;        // layers of a page begin at cache lines
constexpr int64_t kMostSpread = 64;  // parts of latent rows of the usual ranks are multiples of it
constexpr float kMostF16 = 65504.0f;
constexpr float kMostQ8 = 127.0f;
constexpr float kMostQ4 = 15.0f;

// Where element `d` of a position is, in elements of the type.
int64_t PlaceOf(const KvPart& part, int64_t slot, int64_t d) {
  return part.turned ? d * kPagePositions + slot : slot * part.dim + d;
}

// The byte of element `d` and whether it is the upper half.
int64_t NibbleOf(const KvPart& part, int64_t slot, int64_t d, bool* upper) {
  const int64_t half = (part.dim + 1) / 2;
  *upper = part.turned ? d % 2 == 1 : d >= half;
  return part.turned ? d / 2 * kPagePositions + slot : slot * half + d % half;
}

struct Range {
  float least, most;
  bool finite;
};
Range RangeOf(const float* x, int64_t count) {
  Range range{x[0], x[0], true};
  for (int64_t d = 0; d < count; ++d) {
    range.least = std::min(range.least, x[d]);
    range.most = std::max(range.most, x[d]);
    range.finite = range.finite && std::isfinite(x[d]);
  }
  return range;
}

// x / scale to the nearest whole number of [least, most]. Scales of numbers that are not finite are
// NaN, and so is all that comes of them.
int Whole(float x, float by, float least, float most) {
  const float scaled = std::nearbyint(x * by);
  return static_cast<int>(scaled > least ? std::min(scaled, most) : least);
}

void StoreQ8(const KvPart& part, int64_t slot, const float* x, uint8_t* numbers, float* scales) {
  const Range range = RangeOf(x, part.dim);
  const float size = std::max(-range.least, range.most);
  scales[slot] = range.finite ? size / kMostQ8 : NAN;
  const float by = size > 0 ? kMostQ8 / size : 0.0f;
  for (int64_t d = 0; d < part.dim; ++d) {
    const int whole = range.finite ? Whole(x[d], by, -kMostQ8, kMostQ8) : 0;
    numbers[PlaceOf(part, slot, d)] = static_cast<uint8_t>(static_cast<int8_t>(whole));
  }
}

void StoreQ4(const KvPart& part, int64_t slot, const float* x, uint8_t* numbers, float* scales) {
  const Range range = RangeOf(x, part.dim);
  const float width = range.most - range.least;
  scales[slot] = range.finite ? width / kMostQ4 : NAN;
  scales[kPagePositions + slot] = range.finite ? range.least : 0.0f;
  const float by = width > 0 ? kMostQ4 / width : 0.0f;
  for (int64_t d = 0; d < part.dim; ++d) {
    const int whole = range.finite ? Whole(x[d] - range.least, by, 0, kMostQ4) : 0;
    bool upper;
    uint8_t& byte = numbers[NibbleOf(part, slot, d, &upper)];
    byte = static_cast<uint8_t>(upper ? (byte & 0x0f) | whole << 4 : (byte & 0xf0) | whole);
  }
}

}  // namespace

int64_t KvPart::HeadBytes() const {
  switch (type) {
    case KvType::kF32:
      return kPagePositions * dim * 4;
    case KvType::kF16:
      return kPagePositions * dim * 2;
    case KvType::kQ8:
      return kPagePositions * dim;
    case KvType::kQ4:
      return kPagePositions * ((dim + 1) / 2);
  }
  return 0;
}

int64_t KvPart::ParameterBytes() const {
  constexpr auto kFloats = static_cast<int64_t>(kPagePositions * sizeof(float));
  if (dim == 0) return 0;
  return type == KvType::kQ4 ? 2 * kFloats : type == KvType::kQ8 ? kFloats : 0;
}

KvLayout LayKvPage(KvType type, int64_t heads, int64_t key_dim, int64_t value_dim) {
  if (std::max(key_dim, value_dim) > kMaxNarrowDims) type = KvType::kF32;
  KvLayout layout;
  layout.keys = {type, value_dim > 0, heads, key_dim, 0};
  layout.values = {type, false, heads, value_dim, layout.keys.Bytes()};
  // The largest power of two that divides both.
  const int64_t dims = key_dim | value_dim;
  if (type == KvType::kQ4) layout.spread = std::min(dims & -dims, kMostSpread);
  const int64_t bytes = layout.keys.Bytes() + layout.values.Bytes();
  layout.bytes = (bytes + kLine - 1) / kLine * kLine;
  return layout;
}

void Spread(int64_t block, int64_t count, float* x) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(block));
  for (float* at = x; at < x + count; at += block) {
    for (int64_t half = 1; half < block; half *= 2) {
      for (int64_t i = 0; i < block; i += 2 * half) {
        for (int64_t j = i; j < i + half; ++j) {
          const float a = at[j];
          const float b = at[j + half];
          at[j] = a + b;
          at[j + half] = a - b;
        }
      }
    }
    for (int64_t i = 0; i < block; ++i) at[i] *= scale;
  }
}

void StoreKv(const KvPart& part, int64_t head, int64_t slot, const float* x, uint8_t* layer) {
  uint8_t* numbers = layer + part.HeadAt(head);
  auto* scales = reinterpret_cast<float*>(layer + part.ParametersAt(head));
  switch (part.type) {
    case KvType::kF32: {
      auto* floats = reinterpret_cast<float*>(numbers);
      for (int64_t d = 0; d < part.dim; ++d) floats[PlaceOf(part, slot, d)] = x[d];
      return;
    }
    case KvType::kF16: {
      auto* halves = reinterpret_cast<uint16_t*>(numbers);
      for (int64_t d = 0; d < part.dim; ++d) {
        const float most = std::isfinite(x[d]) ? kMostF16 : HUGE_VALF;
        halves[PlaceOf(part, slot, d)] = tensor::FloatToHalf(std::clamp(x[d], -most, most));
      }
      return;
    }
    case KvType::kQ8:
      return StoreQ8(part, slot, x, numbers, scales);
    case KvType::kQ4:
      return StoreQ4(part, slot, x, numbers, scales);
  }
}

void ReadKv(const KvPart& part, int64_t head, int64_t slot, const uint8_t* layer, float* out) {
  const uint8_t* numbers = layer + part.HeadAt(head);
  const auto* scales = reinterpret_cast<const float*>(layer + part.ParametersAt(head));
  for (int64_t d = 0; d < part.dim; ++d) {
    switch (part.type) {
      case KvType::kF32:
        out[d] = reinterpret_cast<const float*>(numbers)[PlaceOf(part, slot, d)];
        break;
      case KvType::kF16:
        out[d] =
            tensor::HalfToFloat(reinterpret_cast<const uint16_t*>(numbers)[PlaceOf(part, slot, d)]);
        break;
      case KvType::kQ8:
        out[d] =
            scales[slot] * static_cast<float>(static_cast<int8_t>(numbers[PlaceOf(part, slot, d)]));
        break;
      case KvType::kQ4: {
        bool upper;
        const int byte = numbers[NibbleOf(part, slot, d, &upper)];
        const int whole = upper ? byte >> 4 : byte & 0x0f;
        out[d] = std::fma(scales[slot], static_cast<float>(whole), scales[kPagePositions + slot]);
        break;
      }
    }
  }
}

}  // namespace ferry::kernels
