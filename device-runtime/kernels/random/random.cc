#include "device-runtime/kernels/random/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

constexpr int kRounds = 10;

struct Pair {
  double first, second;
};

// Two fractions in [0, 1) of 53 bits.
Pair Fractions(uint64_t key, uint64_t counter) {
  std::array<uint32_t, 4> x = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                               0, 0};
  auto key0 = static_cast<uint32_t>(key);
  auto key1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * x[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * x[2];
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ key0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x[3] ^ key1, static_cast<uint32_t>(a)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  const auto fraction = [](uint32_t high, uint32_t low) {
    return static_cast<double>((uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
  };
  return {fraction(x[0], x[1]), fraction(x[2], x[3])};
}

Pair Normals(const Pair& u) {
  const double radius = std::sqrt(-2 * std::log(1 - u.first));
  const double angle = 2 * std::numbers::pi * u.second;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

template <typename T>
void Fill(sys::Parallel& parallel, const RandomStream& s, int64_t count, T* y) {
  ForPieces(parallel, (count + 1) / 2, s.normal ? 64 : 24, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Pair numbers = Fractions(s.key, static_cast<uint64_t>(i));
      if (s.normal) numbers = Normals(numbers);
      y[2 * i] = static_cast<T>(s.shift + s.scale * numbers.first);
      if (2 * i + 1 < count) y[2 * i + 1] = static_cast<T>(s.shift + s.scale * numbers.second);
    }
  });
}

template <typename T>
bool Cumulate(const T* x, int64_t classes, double* sums) {
  double most = -INFINITY;
  for (int64_t k = 0; k < classes; ++k) most = std::max(most, static_cast<double>(x[k]));
  double sum = 0;
  for (int64_t k = 0; k < classes; ++k) {
    sum += std::exp(static_cast<double>(x[k]) - most);
    sums[k] = sum;
  }
  return sum > 0 && std::isfinite(sum);
}

}  // namespace

bool Random(sys::Parallel& parallel, tensor::DType dtype, const RandomStream& stream, int64_t count,
            void* y) {
  if (dtype == tensor::DType::kF32) {
    Fill(parallel, stream, count, static_cast<float*>(y));
  } else if (dtype == tensor::DType::kF64) {
    Fill(parallel, stream, count, static_cast<double*>(y));
  } else {
    return false;
  }
  return true;
}

int64_t Multinomial(tensor::DType dtype, uint64_t key, int64_t rows, int64_t classes,
                    int64_t samples, const void* x, bool wide, void* y, double* sums) {
  for (int64_t row = 0; row < rows; ++row) {
    const bool good = dtype == tensor::DType::kF64
                          ? Cumulate(static_cast<const double*>(x) + row * classes, classes, sums)
                          : Cumulate(static_cast<const float*>(x) + row * classes, classes, sums);
    if (!good) return row;
    for (int64_t i = row * samples; i < (row + 1) * samples; ++i) {
      const Pair pair = Fractions(key, static_cast<uint64_t>(i / 2));
      const double u = (i % 2 == 0 ? pair.first : pair.second) * sums[classes - 1];
      const int64_t at =
          std::min<int64_t>(std::upper_bound(sums, sums + classes, u) - sums, classes - 1);
      if (wide) {
        static_cast<int64_t*>(y)[i] = at;
      } else {
        static_cast<int32_t*>(y)[i] = static_cast<int32_t>(at);
      }
    }
  }
  return -1;
}

}  // namespace ferry::kernels
