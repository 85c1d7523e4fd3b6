#include "device-runtime/kernels/window/window.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/kernels/numbers.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

using Extents = std::array<int64_t, tensor::kMaxRank>;

int64_t Count(const Extents& extents, int axes) {
  int64_t count = 1;
  for (int i = 0; i < axes; ++i) count *= extents[static_cast<size_t>(i)];
  return count;
}

// The part of one window that lies inside the input: along each axis `count` elements from `first`
// on, `dilation` apart.
struct Reach {
  Reach(const WindowShape& s, int64_t position) {
    for (int i = s.axes - 1; i >= 0; --i) {
      const auto a = static_cast<size_t>(i);
      const int64_t begin = position % s.out[a] * s.stride[a] - s.pad_begin[a];
      position /= s.out[a];
      const int64_t d = s.dilation[a];
      const int64_t skipped = begin < 0 ? (-begin + d - 1) / d : 0;
      const auto taps = [&](int64_t end) {
        return end <= begin ? 0 : std::min(s.kernel[a], (end - begin + d - 1) / d);
      };
      first[a] = begin + skipped * d;
      count[a] = std::max<int64_t>(0, taps(s.in[a]) - skipped);
      inside *= count[a];
      padded *= taps(s.in[a] + s.pad_end[a]);
    }
  }
  Extents first{}, count{};
  int64_t inside = 1, padded = 1;
};

// f(position in the plane) for each element inside, in row-major order.
template <typename F>
void ForElements(const WindowShape& s, const Reach& reach, const F& f) {
  if (reach.inside == 0) return;
  const auto last = static_cast<size_t>(s.axes - 1);
  Extents at{};
  for (;;) {
    int64_t row = 0;
    for (size_t a = 0; a <= last; ++a) {
      row = row * s.in[a] + reach.first[a] + (a == last ? 0 : at[a] * s.dilation[a]);
    }
    for (int64_t k = 0; k < reach.count[last]; ++k) f(row + k * s.dilation[last]);
    size_t a = last;
    while (a > 0 && ++at[a - 1] == reach.count[a - 1]) at[--a] = 0;
    if (a == 0) return;
  }
}

// The place of a plane's row-major position when its first axis runs fastest.
int64_t ByColumn(const WindowShape& s, int64_t position) {
  Extents at{};
  for (int i = s.axes - 1; i >= 0; --i) {
    const auto a = static_cast<size_t>(i);
    at[a] = position % s.in[a];
    position /= s.in[a];
  }
  int64_t flat = 0;
  for (int i = s.axes - 1; i >= 0; --i) {
    flat = flat * s.in[static_cast<size_t>(i)] + at[static_cast<size_t>(i)];
  }
  return flat;
}

template <typename T>
int64_t Largest(const WindowShape& s, const Reach& reach, const T* plane, T& most) {
  int64_t best = -1;
  most = Lowest<T>();
  ForElements(s, reach, [&](int64_t at) {
    if (best >= 0 && !(plane[at] > most) && !IsNan(most)) return;
    best = at;
    most = plane[at];
  });
  return best;
}

template <typename T>
double Mean(const WindowShape& s, const Reach& reach, const T* plane) {
  double sum = 0;
  ForElements(s, reach, [&](int64_t at) { sum += static_cast<double>(plane[at]); });
  const int64_t count = s.kind == WindowKind::kAverage ? reach.inside : reach.padded;
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

template <typename T>
double Norm(const WindowShape& s, const Reach& reach, const T* plane) {
  double sum = 0;
  ForElements(s, reach, [&](int64_t at) {
    const double size = std::abs(static_cast<double>(plane[at]));
    sum += s.p == 2 ? size * size : s.p == 1 ? size : std::pow(size, s.p);
  });
  return s.p == 2 ? std::sqrt(sum) : s.p == 1 ? sum : std::pow(sum, 1 / s.p);
}

template <typename T>
void OneWindow(const WindowShape& s, const T* x, int64_t i, int64_t in, int64_t out, T* y,
               int64_t* places) {
  const int64_t plane = i / out;
  const Reach reach(s, i % out);
  const T* from = x + plane * in;
  if (s.kind != WindowKind::kMax) {
    const double value = s.kind == WindowKind::kNorm ? Norm(s, reach, from) : Mean(s, reach, from);
    y[i] = static_cast<T>(value);
    return;
  }
  const int64_t best = Largest(s, reach, from, y[i]);
  if (places == nullptr) return;
  const int64_t place = best < 0 ? 0 : s.by_column ? ByColumn(s, best) : best;
  places[i] = plane * in + place;
}

}  // namespace

bool PoolWindows(sys::Parallel& parallel, tensor::DType dtype, const WindowShape& s, const void* x,
                 void* y, int64_t* places) {
  const int64_t in = Count(s.in, s.axes), out = Count(s.out, s.axes);
  return WithNumber(dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t steps = 2 * Count(s.kernel, s.axes);
    ForPieces(parallel, s.planes * out, std::min<int64_t>(steps, in + 8),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  OneWindow(s, static_cast<const T*>(x), i, in, out, static_cast<T*>(y), places);
                }
              });
  });
}

}  // namespace ferry::kernels
