#include "tools/model_graph/cost.h"

#include <algorithm>

#include "device-runtime/tensor/packing.h"

namespace ferry::model_graph {
namespace {

enum class Form {
  kConvolution,  // each output element sums the weights of its channel
  kSpread,       // each input element is spread by the weights of its channel
  kProduct,      // each output element sums over the left side's last axis
  kGemm,         // the same, or over the first one
  kRecurrent,    // each step multiplies both weights, once for each row of the batch
};

struct Multiplier {
  std::string_view op;
  Form form;
  size_t weights;  // which input
};

constexpr Multiplier kMultipliers[] = {
    {"Conv", Form::kConvolution, 1},        {"ConvInteger", Form::kConvolution, 1},
    {"ConvTranspose", Form::kSpread, 1},    {"DeformConv", Form::kConvolution, 1},
    {"GRU", Form::kRecurrent, 1},           {"Gemm", Form::kGemm, 1},
    {"LSTM", Form::kRecurrent, 1},          {"MatMul", Form::kProduct, 1},
    {"MatMulInteger", Form::kProduct, 1},   {"QConv", Form::kConvolution, 1},
    {"QLinearConv", Form::kConvolution, 3}, {"QLinearMatMul", Form::kProduct, 3},
    {"QMatMul", Form::kProduct, 1},         {"RNN", Form::kRecurrent, 1},
    {"StoredMatMul", Form::kProduct, 1},
};

double Count(const ops::ValueInfo& info) {
  return static_cast<double>(info.shape.elements());
}

// The weights that go into one output element of a convolution.
double PerChannel(const ops::ValueInfo& weights) {
  const bool has = weights.shape.rank() > 0 && weights.shape[0] > 0;
  return has ? Count(weights) / static_cast<double>(weights.shape[0]) : 0;
}

double MacsOf(const Multiplier& kind, const ir::Node& node,
              const std::vector<const ops::ValueInfo*>& inputs, const ops::ValueInfo& output) {
  const ops::ValueInfo& left = *inputs[0];
  const ops::ValueInfo& weights = *inputs[kind.weights];
  switch (kind.form) {
    case Form::kConvolution:
      return Count(output) * PerChannel(weights);
    case Form::kSpread:
      return Count(left) * PerChannel(weights);
    case Form::kProduct:
      return left.shape.rank() == 0
                 ? 0
                 : Count(output) * static_cast<double>(left.shape[left.shape.rank() - 1]);
    case Form::kGemm: {
      const int64_t* transposed = node.Find<int64_t>("transA");
      if (left.shape.rank() != 2) return 0;
      return Count(output) *
             static_cast<double>(left.shape[transposed != nullptr && *transposed != 0 ? 0 : 1]);
    }
    case Form::kRecurrent: {
      if (left.shape.rank() != 3 || inputs.size() < 3 || inputs[2] == nullptr) return 0;
      const double rows = static_cast<double>(left.shape[0]) * static_cast<double>(left.shape[1]);
      return rows * (Count(weights) + Count(*inputs[2]));
    }
  }
  return 0;
}

int64_t Whole(double number) {
  return static_cast<int64_t>(std::min(number, static_cast<double>(kMaxMacs)));
}

}  // namespace

std::optional<NodeCost> CostOf(const ir::Node& node, const Types& types) {
  double bytes = 0;
  const auto take = [&](ir::ValueId id) -> const ops::ValueInfo* {
    const auto& known = types.of[static_cast<size_t>(id)];
    if (!known) return nullptr;
    bytes += static_cast<double>(tensor::FileBytes(known->dtype, known->shape.elements()));
    return &*known;
  };
  std::vector<const ops::ValueInfo*> inputs;
  for (const ir::ValueId id : node.inputs) {
    inputs.push_back(id == ir::kNoValue ? nullptr : take(id));
    if (id != ir::kNoValue && inputs.back() == nullptr) return std::nullopt;
  }
  const ops::ValueInfo* first = nullptr;
  for (const ir::ValueId id : node.outputs) {
    if (id == ir::kNoValue) continue;
    const ops::ValueInfo* output = take(id);
    if (output == nullptr) return std::nullopt;
    if (first == nullptr) first = output;
  }
  NodeCost cost;
  cost.bytes = Whole(bytes);
  const auto* kind = std::ranges::find(kMultipliers, node.op, &Multiplier::op);
  const bool multiplies = kind != std::end(kMultipliers) && first != nullptr &&
                          inputs.size() > kind->weights && inputs[0] != nullptr &&
                          inputs[kind->weights] != nullptr;
  if (multiplies) cost.macs = Whole(MacsOf(*kind, node, inputs, *first));
  return cost;
}

}  // namespace ferry::model_graph
