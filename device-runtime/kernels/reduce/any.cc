#include "device-runtime/kernels/reduce/any.h"

#include <cmath>

#include "device-runtime/kernels/numbers.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

template <typename W>
W Magnitude(W x) {
  if constexpr (std::is_floating_point_v<W>) return std::abs(x);
  if constexpr (std::is_unsigned_v<W>) return x;
  return x < 0 ? static_cast<W>(-static_cast<uint64_t>(x)) : x;
}

template <typename W>
W Joined(ReduceOp op, W a, W x) {
  switch (op) {
    case ReduceOp::kMax:
      return Larger(a, x);
    case ReduceOp::kMin:
      return Smaller(a, x);
    case ReduceOp::kProd:
      return Product(a, x);
    case ReduceOp::kSumSquare:
      return Sum(a, Product(x, x));
    case ReduceOp::kL1:
      return Sum(a, Magnitude(x));
    default:
      return Sum(a, x);
  }
}

template <typename W>
W Mean(W sum, int64_t size) {
  if constexpr (std::is_floating_point_v<W>) return sum / static_cast<double>(size);
  return size == 0 ? W{} : static_cast<W>(sum / static_cast<W>(size));
}

// As tensors convert: toward zero, inside the type's range, NaN to 0.
template <typename T>
T FromDouble(double x) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(x);
  if (std::isnan(x)) return 0;
  if (x <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (x >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(x);
}

struct Line {
  ReduceOp op;
  int64_t size, stride;
  bool is_bool;
};

template <typename T>
T Reduced(const Line& line, const T* x) {
  using Wide = WideOf<T>;
  if (line.op == ReduceOp::kL2) {
    double sum = 0;
    for (int64_t i = 0; i < line.size; ++i) {
      const auto value = static_cast<double>(x[i * line.stride]);
      sum += value * value;
    }
    return FromDouble<T>(std::sqrt(sum));
  }
  auto total = line.op == ReduceOp::kProd ? Wide{1} : Wide{0};
  if (line.op == ReduceOp::kMax) total = static_cast<Wide>(Lowest<T>());
  if (line.op == ReduceOp::kMin) total = line.is_bool ? Wide{1} : static_cast<Wide>(Highest<T>());
  for (int64_t i = 0; i < line.size; ++i) {
    total = Joined(line.op, total, static_cast<Wide>(x[i * line.stride]));
  }
  return static_cast<T>(line.op == ReduceOp::kMean ? Mean(total, line.size) : total);
}

}  // namespace

bool ReduceAny(sys::Parallel& parallel, tensor::DType dtype, ReduceOp op, int64_t outer,
               int64_t size, int64_t inner, const void* x, void* y) {
  const Line line = {op, size, inner, dtype == tensor::DType::kBool};
  return WithNumber(dtype, [&](auto zero) {
    using T = decltype(zero);
    ForPieces(parallel, outer * inner, size + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = i / inner * size * inner + i % inner;
        static_cast<T*>(y)[i] = Reduced(line, static_cast<const T*>(x) + at);
      }
    });
  });
}

bool ArgExtreme(sys::Parallel& parallel, tensor::DType dtype, bool largest, bool last,
                int64_t outer, int64_t size, int64_t inner, const void* x, int64_t* y) {
  return WithNumber(dtype, [&](auto zero) {
    using T = decltype(zero);
    ForPieces(parallel, outer * inner, size + 1, [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const T* from = static_cast<const T*>(x) + line / inner * size * inner + line % inner;
        int64_t best = 0;
        T most = from[0];
        for (int64_t i = 1; i < size; ++i) {
          const T value = from[i * inner];
          int order = Order(value, most);
          if (!largest && !IsNan(value) && !IsNan(most)) order = -order;
          if (order < 0 || (order == 0 && !last)) continue;
          best = i;
          most = value;
        }
        y[line] = best;
      }
    });
  });
}

}  // namespace ferry::kernels
