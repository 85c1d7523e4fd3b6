#include <cmath>

#include "device-runtime/quant/graph/build.h"

namespace ferry::quant {
namespace {

bool IsTransposed(const ir::Node& node) {
  const int64_t* transposed = node.Find<int64_t>("transB");
  return transposed != nullptr && *transposed != 0;
}

}  // namespace

std::vector<double> MeanShift(const ir::Node& node, const Tensor& weights, const Tensor& rounded,
                              std::span<const double> input_means) {
  const tensor::Shape& shape = weights.shape();
  const auto w = weights.data<float>();
  const auto r = rounded.data<float>();
  const auto error = [&](int64_t i) {
    return double{r[static_cast<size_t>(i)]} - w[static_cast<size_t>(i)];
  };
  std::vector<double> shift;
  if (node.op == "Conv") {
    const int64_t* group = node.Find<int64_t>("group");
    const int64_t groups = group == nullptr ? 1 : *group;
    const int64_t outputs = shape[0], inputs = shape[1], taps = shape.Product(2, shape.rank());
    if (groups < 1 || outputs % groups != 0 ||
        static_cast<int64_t>(input_means.size()) != inputs * groups) {
      return {};
    }
    shift.assign(static_cast<size_t>(outputs), 0.0);
    for (int64_t o = 0; o < outputs; ++o) {
      const int64_t first = o / (outputs / groups) * inputs;
      for (int64_t c = 0; c < inputs; ++c) {
        double sum = 0;
        for (int64_t t = 0; t < taps; ++t) sum += error((o * inputs + c) * taps + t);
        shift[static_cast<size_t>(o)] += sum * input_means[static_cast<size_t>(first + c)];
      }
    }
    return shift;
  }
  if ((node.op != "Gemm" && node.op != "MatMul") || shape.rank() != 2) return {};
  const bool by_row = node.op == "Gemm" && IsTransposed(node);
  const int64_t outputs = shape[by_row ? 0 : 1], inputs = shape[by_row ? 1 : 0];
  if (static_cast<int64_t>(input_means.size()) != inputs) return {};
  shift.assign(static_cast<size_t>(outputs), 0.0);
  for (int64_t o = 0; o < outputs; ++o) {
    for (int64_t i = 0; i < inputs; ++i) {
      shift[static_cast<size_t>(o)] +=
          error(by_row ? o * inputs + i : i * outputs + o) * input_means[static_cast<size_t>(i)];
    }
  }
  return shift;
}

}  // namespace ferry::quant
