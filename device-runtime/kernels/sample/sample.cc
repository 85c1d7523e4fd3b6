#include "device-runtime/kernels/sample/sample.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

using tensor::DType;

// Goes to and fro between the ends.
double Reflected(double x, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  if (x >= low && x <= high) return x;
  const double beyond = x < low ? low - x : x - high;
  const double turns = std::floor(beyond / range);
  const double rest = beyond - turns * range;
  const bool even = std::fmod(turns, 2) == 0;
  return (x < low) == even ? low + rest : high - rest;
}

// The place along axis `i` in elements; P as the places have it, so that ties of the nearest mode
// fall as they do elsewhere.
template <typename P>
double PlaceOf(const SampleShape& s, size_t i, P n) {
  double x = static_cast<double>(n);
  if (s.normalized) {
    const P extent = static_cast<P>(s.in[i]);
    x = static_cast<double>(s.align ? (n + P{1}) / P{2} * (extent - P{1})
                                    : ((n + P{1}) * extent - P{1}) / P{2});
  }
  constexpr double kFar = 1e15;  // keeps places inside int64
  x = std::isnan(x) ? -kFar : std::clamp(x, -kFar, kFar);
  if (s.mode == SampleMode::kNearest) x = std::nearbyint(x);
  const auto extent = static_cast<double>(s.in[i]);
  const double low = s.align ? 0 : -0.5;
  const double high = extent - (s.align ? 1 : 0.5);
  if (x >= low && x <= high) return x;
  if (s.padding == SamplePadding::kBorder) return std::clamp<double>(x, 0, extent - 1);
  return s.padding == SamplePadding::kReflection ? Reflected(x, low, high) : x;
}

// The element at whole place `at` of axis `i`; -1: there is none, it counts as zero.
int64_t ElementAt(const SampleShape& s, size_t i, double at) {
  const auto last = static_cast<double>(s.in[i] - 1);
  if (s.padding == SamplePadding::kZeros) {
    return at >= 0 && at <= last ? static_cast<int64_t>(at) : -1;
  }
  if (s.padding == SamplePadding::kReflection) {
    at = std::trunc(Reflected(at, s.align ? 0 : -0.5, s.align ? last : last + 0.5));
  }
  return static_cast<int64_t>(std::clamp(at, 0.0, last));
}

double CubicWeight(double d) {
  const double a = -0.75;
  d = std::abs(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// The elements of a plane that one point reads, with their weights; as many as are not zero, at
// most kMost at a time.
constexpr int64_t kMost = 64;
struct Taps {
  int64_t count = 0;
  int64_t at[kMost];
  double weight[kMost];
};
struct AxisTaps {
  int64_t element[4];
  double weight[4];
};

template <typename P>
AxisTaps TapsAlong(const SampleShape& s, size_t i, P place, int taps) {
  AxisTaps t{};
  const double x = PlaceOf(s, i, place);
  const double base = std::floor(x) - (taps == 4 ? 1 : 0);
  for (int k = 0; k < taps; ++k) {
    const double at = base + k;
    t.element[k] = ElementAt(s, i, at);
    t.weight[k] = taps == 1 ? 1 : taps == 2 ? 1 - std::abs(at - x) : CubicWeight(at - x);
    if (t.element[k] < 0) t.weight[k] = 0;
  }
  return t;
}

int64_t PlaneOf(const SampleShape& s) {
  int64_t count = 1;
  for (int i = 0; i < s.axes; ++i) count *= s.in[static_cast<size_t>(i)];
  return count;
}

// One point of all channels, tap by tap in the order of the axes.
template <typename T, typename P>
void OnePoint(const SampleShape& s, const T* x, const P* place, int64_t plane, T* y) {
  const int taps = s.mode == SampleMode::kNearest ? 1 : s.mode == SampleMode::kLinear ? 2 : 4;
  AxisTaps along[tensor::kMaxRank];
  int64_t all = 1;
  for (int i = 0; i < s.axes; ++i) {
    const auto axis = static_cast<size_t>(i);
    along[i] = TapsAlong(s, axis, place[s.normalized ? s.axes - 1 - i : i], taps);
    all *= taps;
  }
  const auto flush = [&](Taps& t, bool first) {
    for (int64_t c = 0; c < s.channels; ++c) {
      double sum = first ? 0 : static_cast<double>(y[c * s.points]);
      for (int64_t k = 0; k < t.count; ++k) {
        sum += t.weight[k] * static_cast<double>(x[c * plane + t.at[k]]);
      }
      y[c * s.points] = static_cast<T>(sum);
    }
    t.count = 0;
  };
  Taps t;
  bool first = true;
  for (int64_t k = 0; k < all; ++k) {
    int64_t rest = k, at = 0, step = 1;
    double weight = 1;
    for (int i = s.axes - 1; i >= 0; --i) {
      const auto tap = static_cast<size_t>(rest % taps);
      rest /= taps;
      weight *= along[i].weight[tap];
      at += std::max<int64_t>(along[i].element[tap], 0) * step;
      step *= s.in[static_cast<size_t>(i)];
    }
    if (weight == 0) continue;
    t.at[t.count] = at;
    t.weight[t.count++] = weight;
    if (t.count == kMost) {
      flush(t, first);
      first = false;
    }
  }
  if (first || t.count > 0) flush(t, first);
}

template <typename T, typename P>
void All(sys::Parallel& parallel, const SampleShape& s, const T* x, const P* places, T* y) {
  const int64_t plane = PlaneOf(s);
  ForPieces(parallel, s.batch * s.points, 8 * s.channels + 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / s.points;
      OnePoint(s, x + n * s.channels * plane, places + i * s.axes, plane,
               y + n * s.channels * s.points + i % s.points);
    }
  });
}

template <typename T>
bool ByPlaces(sys::Parallel& parallel, DType place_dtype, const SampleShape& s, const void* x,
              const void* places, void* y) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(y);
  if (place_dtype == DType::kF32) {
    All(parallel, s, from, static_cast<const float*>(places), to);
  } else if (place_dtype == DType::kF64) {
    All(parallel, s, from, static_cast<const double*>(places), to);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool Sample(sys::Parallel& parallel, DType dtype, DType place_dtype, const SampleShape& s,
            const void* x, const void* places, void* y) {
  if (dtype == DType::kF32) return ByPlaces<float>(parallel, place_dtype, s, x, places, y);
  if (dtype == DType::kF64) return ByPlaces<double>(parallel, place_dtype, s, x, places, y);
  return false;
}

}  // namespace ferry::kernels
