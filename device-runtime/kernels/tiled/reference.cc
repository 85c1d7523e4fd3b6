#include <cmath>
#include <cstring>

#include "device-runtime/kernels/tiled/kernels.h"

namespace ferry::kernels {
namespace {

constexpr float kSmallest = 0x1p-126f;  // normal number

void Nothing() {}

// The sum's start: of its column, or what stands there.
template <typename T>
void Start(const TiledBlock& t) {
  if (t.start == nullptr) return;
  const auto* start = static_cast<const T*>(t.start);
  for (int64_t i = 0; i < t.rows; ++i)
    for (int64_t j = 0; j < t.columns; ++j)
      static_cast<T*>(t.sums)[i * kTiledColumns + j] = start[j];
}

void Bytes(const TiledBlock& t) {
  Start<uint32_t>(t);
  const auto* b = static_cast<const int8_t*>(t.b);
  for (int64_t i = 0; i < t.rows; ++i) {
    for (int64_t j = 0; j < t.columns; ++j) {
      uint32_t& sum = static_cast<uint32_t*>(t.sums)[i * kTiledColumns + j];
      for (int64_t k = 0; k < t.chunks * kTiledChunk; ++k) {
        const int a = t.a[k / kTiledChunk * kTiledStep + i * kTiledChunk + k % kTiledChunk];
        sum += static_cast<uint32_t>(a * b[(k / 4 * t.columns + j) * 4 + k % 4]);
      }
    }
  }
}

float Flushed(float x) {
  return std::fabs(x) < kSmallest ? std::copysign(0.0f, x) : x;
}

float Half(const uint8_t* at) {
  uint16_t half;
  std::memcpy(&half, at, sizeof half);
  const uint32_t bits = uint32_t{half} << 16;
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return Flushed(x);
}

// Of numbers 0 or 1 of the pairs of one part. A product of two bfloat16 is exact, so that an
// addition behind it rounds as a fused one.
float OfPart(const uint8_t* a, const uint8_t* b, int64_t columns) {
  float sum = 0;
  for (int64_t g = 0; g < kTiledGroups; ++g)
    sum = Flushed(Half(a + 4 * g) * Half(b + 4 * g * columns) + sum);
  return sum;
}

void AddParts(const uint8_t* a, const uint8_t* b, int64_t columns, float& sum) {
  const float both = Flushed(OfPart(a, b, columns) + OfPart(a + 2, b + 2, columns));
  sum = Flushed(Flushed(sum) + both);
}

// Calls add(row of A, column of B, sum) for each chunk of each sum.
template <typename Add>
void ForChunks(const TiledBlock& t, int parts, const Add& add) {
  Start<float>(t);
  for (int64_t i = 0; i < t.rows; ++i) {
    for (int64_t j = 0; j < t.columns; ++j) {
      const uint8_t* a = t.a + i * kTiledChunk;
      const uint8_t* b = static_cast<const uint8_t*>(t.b) + j * 4;
      for (int64_t c = 0; c < t.chunks; ++c) {
        add(a, b, static_cast<float*>(t.sums)[i * kTiledColumns + j]);
        a += parts * kTiledStep;
        b += parts * kTiledChunk * t.columns;
      }
    }
  }
}

void Halves(const TiledBlock& t) {
  ForChunks(t, 1, [&](const uint8_t* a, const uint8_t* b, float& sum) {
    AddParts(a, b, t.columns, sum);
  });
}

void Floats(const TiledBlock& t) {
  ForChunks(t, kMaxTiledParts, [&](const uint8_t* a, const uint8_t* b, float& sum) {
    for (const auto& [left, right] : kTiledProducts)
      AddParts(a + left * kTiledStep, b + right * kTiledChunk * t.columns, t.columns, sum);
  });
}

// The nearest bfloat16, halves to even; denormal numbers are 0, NaN is quiet.
uint16_t Rounded(float x) {
  uint32_t bits;
  x = Flushed(x);
  std::memcpy(&bits, &x, sizeof bits);
  if (std::isnan(x)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void Split(const TiledCopy& t) {
  for (int64_t r = 0; r < t.count; ++r) {
    for (int64_t i = 0; i < t.bytes; i += 4) {
      float x;
      std::memcpy(&x, t.rows[r] + i, sizeof x);
      const int64_t at = (t.at + i) / 2;
      uint8_t* to =
          t.a + at / kTiledChunk * kMaxTiledParts * kTiledStep + r * kTiledChunk + at % kTiledChunk;
      const uint16_t first = Rounded(x);
      std::memcpy(to, &first, sizeof first);
      const float rest = x - Half(to);
      const uint16_t second = std::isfinite(rest) ? Rounded(rest) : 0;
      std::memcpy(to + kTiledStep, &second, sizeof second);
      if (t.infinite != nullptr && !std::isfinite(rest)) *t.infinite |= uint32_t{1} << r;
    }
  }
}

void Copy(const TiledCopy& t) {
  for (int64_t r = 0; r < t.count; ++r) {
    for (int64_t i = 0; i < t.bytes; ++i) {
      const int64_t at = t.at + i;
      t.a[at / kTiledChunk * kTiledStep + r * kTiledChunk + at % kTiledChunk] =
          static_cast<uint8_t>(t.rows[r][i] ^ t.flip);
    }
  }
}

void Finish(const TiledFinish& t) {
  for (int64_t i = 0; i < t.rows; ++i) {
    for (int64_t j = 0; j < t.columns; ++j) {
      float x = t.sums[i * kTiledColumns + j];
      if (t.bias != nullptr) x += t.bias[j];
      if (t.add != nullptr) x += t.add[i * t.c_stride + j];
      if (x < t.low) x = t.low;
      if (x > t.high) x = t.high;
      t.c[i * t.c_stride + j] = x;
    }
  }
}

}  // namespace

const TiledKernels kTiledReference = {false,
                                      Nothing,
                                      Nothing,
                                      {kTiledChunk, 1, Copy, Bytes},
                                      {kTiledChunk, 1, Copy, Halves},
                                      {2 * kTiledChunk, kMaxTiledParts, Split, Floats},
                                      Finish,
                                      {}};

}  // namespace ferry::kernels
