#include "device-runtime/quant/affine.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/tensor/packing.h"

namespace ferry::quant {
namespace {

using tensor::Shape;

// Walks over elements with the index of their scale.
struct Groups {
  int64_t outer = 1, extent = 1, inner = 1, block = 1, blocks = 1;
  bool is_blocked = false;
  Shape shape;  // of the scales

  template <typename F>
  void Each(F&& f) const {
    int64_t flat = 0;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t at = 0; at < extent; ++at) {
        const int64_t first = is_blocked ? (o * blocks + at / block) * inner : at;
        for (int64_t i = 0; i < inner; ++i) f(flat++, is_blocked ? first + i : first);
      }
    }
  }
};

Result<Groups> GroupsOf(const Shape& shape, const WeightForm& form) {
  Groups g;
  if (form.axis < 0) {
    g.inner = shape.elements();
    return g;
  }
  if (form.axis >= shape.rank()) {
    return Status::Of(Code::kInvalidArgument, "axis {} of {}", form.axis, shape.ToString());
  }
  g.outer = shape.Product(0, form.axis);
  g.extent = shape[form.axis];
  g.inner = shape.Product(form.axis + 1, shape.rank());
  if (form.block <= 0) {
    g.shape = Shape{g.extent};
    return g;
  }
  g.is_blocked = true;
  g.block = form.block;
  g.blocks = (g.extent + g.block - 1) / g.block;
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims[static_cast<size_t>(form.axis)] = g.blocks;
  FERRY_ASSIGN_OR_RETURN(g.shape, Shape::Make(dims));
  return g;
}

struct Factor {
  double scale = 1;
  int zero = 0;
};

int Lowest(DType dtype) {
  if (dtype == DType::kI8) return -127;  // symmetric: the product of two never passes 2^14
  return dtype == DType::kI4 ? -8 : 0;
}
int Highest(DType dtype) {
  if (dtype == DType::kI8) return 127;
  if (dtype == DType::kI4) return 7;
  return dtype == DType::kU8 ? 255 : 15;
}

int Rounded(double x, const Factor& f, DType dtype) {
  const double q = std::nearbyint(x / f.scale) + f.zero;
  return static_cast<int>(std::clamp<double>(q, Lowest(dtype), Highest(dtype)));
}

// The factor of a group of values in [low, high] (zero inside), its range made `shrink` times.
Factor FactorOf(double low, double high, double shrink, double least, DType dtype) {
  Factor f;
  if (tensor::IsUnsigned(dtype)) {
    f.scale = std::max({(high - low) * shrink / Highest(dtype), least, kLeastScale});
    f.scale = static_cast<float>(f.scale);
    f.zero = static_cast<int>(
        std::clamp<double>(std::nearbyint(-low * shrink / f.scale), 0, Highest(dtype)));
    return f;
  }
  const double largest = std::max(-low, high) * shrink;
  f.scale = static_cast<float>(std::max({largest / Highest(dtype), least, kLeastScale}));
  return f;
}

// Of shrunk ranges, for each group that with the least squared error.
std::vector<Factor> Search(std::span<const float> w, const Groups& groups,
                           const std::vector<std::pair<double, double>>& ranges,
                           std::span<const double> least, DType dtype) {
  const bool is_coarse = tensor::IntegerBits(dtype) <= 4;
  std::vector<Factor> best(ranges.size()), now(ranges.size());
  std::vector<double> error(ranges.size()), best_error(ranges.size(), HUGE_VAL);
  // Factors above 7/8 of the symmetric range are of no use: the least integer is -8.
  for (double shrink = 1.0; shrink > (is_coarse ? 0.68 : 0.99); shrink -= 0.04) {
    for (size_t g = 0; g < ranges.size(); ++g) {
      now[g] =
          FactorOf(ranges[g].first, ranges[g].second, shrink, least.empty() ? 0 : least[g], dtype);
    }
    if (!is_coarse) return now;
    std::ranges::fill(error, 0.0);
    groups.Each([&](int64_t i, int64_t g) {
      const Factor& f = now[static_cast<size_t>(g)];
      const double d = w[static_cast<size_t>(i)] -
                       f.scale * (Rounded(w[static_cast<size_t>(i)], f, dtype) - f.zero);
      error[static_cast<size_t>(g)] += d * d;
    });
    for (size_t g = 0; g < ranges.size(); ++g) {
      if (error[g] >= best_error[g]) continue;
      best_error[g] = error[g];
      best[g] = now[g];
    }
  }
  return best;
}

}  // namespace

Affine AffineOf(double low, double high, DType dtype) {
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  Affine a;
  a.dtype = dtype;
  a.scale = 1;
  if (high - low > 0) a.scale = static_cast<float>(std::max((high - low) / 255, kLeastScale));
  const double zero = std::clamp(std::nearbyint(-low / a.scale), 0.0, 255.0);
  a.zero_point = static_cast<int>(zero) + a.Lowest();
  return a;
}

Result<QuantizedWeight> QuantizeWeight(const Tensor& weights, const WeightForm& form,
                                       std::span<const double> least) {
  const auto w = weights.data<float>();
  FERRY_ASSIGN_OR_RETURN(const Groups groups, GroupsOf(weights.shape(), form));
  const auto count = static_cast<size_t>(groups.shape.elements());
  std::vector<std::pair<double, double>> ranges(count, {0.0, 0.0});
  bool is_finite = true;
  groups.Each([&](int64_t i, int64_t g) {
    const double x = w[static_cast<size_t>(i)];
    is_finite = is_finite && std::isfinite(x);
    auto& [low, high] = ranges[static_cast<size_t>(g)];
    low = std::min(low, x);
    high = std::max(high, x);
  });
  if (!is_finite) return Status(Code::kInvalidArgument, "weights that are not finite");
  const std::vector<Factor> factors = Search(w, groups, ranges, least, form.dtype);
  QuantizedWeight out;
  out.axis = form.axis;
  out.block = groups.is_blocked ? groups.block : 0;
  FERRY_ASSIGN_OR_RETURN(out.values, Tensor::Allocate(form.dtype, weights.shape()));
  FERRY_ASSIGN_OR_RETURN(out.scales, Tensor::Allocate(DType::kF32, groups.shape));
  auto scales = out.scales.mutable_data<float>();
  for (size_t g = 0; g < count; ++g) scales[g] = static_cast<float>(factors[g].scale);
  if (tensor::IsUnsigned(form.dtype)) {
    FERRY_ASSIGN_OR_RETURN(out.zeros, Tensor::Allocate(form.dtype, groups.shape));
    for (size_t g = 0; g < count; ++g) {
      out.zeros->SetInteger(static_cast<int64_t>(g), factors[g].zero);
    }
  }
  // One element is one byte in memory, also of 4 bits.
  uint8_t* bytes = out.values.mutable_raw();
  groups.Each([&](int64_t i, int64_t g) {
    const int q = Rounded(w[static_cast<size_t>(i)], factors[static_cast<size_t>(g)], form.dtype);
    if (form.dtype == DType::kI8 || form.dtype == DType::kU8) {
      bytes[i] = static_cast<uint8_t>(q);
    } else {
      out.values.SetInteger(i, q);
    }
  });
  return out;
}

Result<Tensor> Dequantized(const QuantizedWeight& weight) {
  const WeightForm form{weight.values.dtype(), weight.axis, weight.block};
  FERRY_ASSIGN_OR_RETURN(const Groups groups, GroupsOf(weight.values.shape(), form));
  FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(DType::kF32, weight.values.shape()));
  auto to = out.mutable_data<float>();
  const auto scales = weight.scales.data<float>();
  groups.Each([&](int64_t i, int64_t g) {
    const int64_t zero = weight.zeros ? weight.zeros->Integer(g) : 0;
    to[static_cast<size_t>(i)] =
        static_cast<float>(weight.values.Integer(i) - zero) * scales[static_cast<size_t>(g)];
  });
  return out;
}

int64_t FileBytes(const QuantizedWeight& weight) {
  int64_t bytes = tensor::FileBytes(weight.values.dtype(), weight.values.elements()) +
                  weight.scales.size_bytes();
  if (weight.zeros) bytes += tensor::FileBytes(weight.zeros->dtype(), weight.zeros->elements());
  return bytes;
}

Result<Tensor> QuantizeBias(const Tensor& bias, std::span<const float> scales) {
  FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(DType::kI32, bias.shape()));
  for (int64_t i = 0; i < bias.elements(); ++i) {
    const double scale = scales[scales.size() == 1 ? 0 : static_cast<size_t>(i)];
    out.SetNumber(i, std::nearbyint(bias.Number(i) / scale));
  }
  return out;
}

}  // namespace ferry::quant
