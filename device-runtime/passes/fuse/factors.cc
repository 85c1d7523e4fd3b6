// A convolution or product with constant weights, and then a factor or an addend of one number for
// each channel or column: both go into the weights and the bias.
#include "device-runtime/passes/fuse/match.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

using ir::kNoValue;
using ir::ValueId;
using tensor::Tensor;

// Weights as [outer, channels, inner].
struct Weights {
  int64_t outer = 1, channels = 0, inner = 1;
  int rank = 0;      // of the result; 0: not known
  int from_end = 0;  // the channels' axis of the result, counted from its end (1: the last)
};

std::optional<Weights> WeightsOf(const Graph& graph, const ir::Node& node) {
  if (node.HasInput(3) || node.attributes.contains("activation")) return std::nullopt;
  if (node.op != "Conv" && node.op != "MatMul") return std::nullopt;
  const Tensor* w = ConstantF32(graph, node.inputs[1]);
  if (w == nullptr || w->elements() == 0) return std::nullopt;
  const int rank = w->shape().rank();
  Weights weights;
  if (node.op == "Conv" && rank >= 3) {
    weights.channels = w->shape()[0];
    weights.inner = w->elements() / weights.channels;
    weights.rank = rank;
    weights.from_end = rank - 1;
  } else if (node.op == "MatMul" && rank == 2) {
    weights.outer = w->shape()[0];
    weights.channels = w->shape()[1];
    weights.from_end = 1;
  } else {
    return std::nullopt;
  }
  if (!node.HasInput(2)) return weights;
  const Tensor* bias = ConstantF32(graph, node.inputs[2]);
  if (bias == nullptr || bias->elements() != weights.channels) return std::nullopt;
  return weights;
}

// Whether `t` has one number, or one for each channel, and cannot add axes to the result.
bool IsPerChannel(const Tensor& t, const Weights& w) {
  const int rank = t.shape().rank();
  if (t.dtype() != ir::DType::kF32 || rank > (w.rank == 0 ? 1 : w.rank)) return false;
  if (t.elements() == 1) return true;
  return t.elements() == w.channels && rank >= w.from_end &&
         t.shape()[rank - w.from_end] == w.channels;
}

class Factors {
 public:
  explicit Factors(Graph& graph)
      : graph_(graph), match_(graph), names_(graph, "scaled"), allowance_(graph) {}

  Result<int> Run() {
    std::vector<bool> gone(graph_.nodes.size(), false);
    int fused = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const ir::Node& node = graph_.nodes[i];
      if (node.inputs.size() != 2 || (node.op != "Mul" && node.op != "Add")) continue;
      for (size_t side = 0; side < 2; ++side) {
        const ValueId id = node.inputs[side];
        const int maker = maker_of_.contains(id) ? maker_of_[id] : match_.MakerIndex(id);
        if (maker < 0 || gone[static_cast<size_t>(maker)] || !match_.IsReadOnce(id)) continue;
        ir::Node& product = graph_.nodes[static_cast<size_t>(maker)];
        const auto weights = WeightsOf(graph_, product);
        const Tensor* factor = ConstantF32(graph_, node.inputs[1 - side]);
        if (!weights || factor == nullptr || !IsPerChannel(*factor, *weights)) continue;
        const bool multiplies = node.op == "Mul";
        if (!MayMake(product, *weights, multiplies)) continue;
        FERRY_TRY(Fuse(product, *weights, *factor, multiplies));
        product.outputs = node.outputs;
        maker_of_[node.outputs[0]] = maker;  // a further factor may follow
        gone[i] = true;
        ++fused;
        break;
      }
    }
    KeepNodes(graph_, gone);
    return fused;
  }

 private:
  // Whether new weights may be made: shared ones must not become many.
  bool MayMake(const ir::Node& product, const Weights& w, bool multiplies) {
    const Tensor* old = multiplies ? ConstantF32(graph_, product.inputs[1]) : nullptr;
    const int64_t elements = w.channels + (old == nullptr ? 0 : old->elements());
    return allowance_.Take(elements * static_cast<int64_t>(sizeof(float)));
  }

  Status Fuse(ir::Node& node, const Weights& w, const Tensor& given, bool multiplies) {
    const Tensor factor = given;  // constants are added below
    auto number = [&](int64_t c) { return factor.Number(factor.elements() == 1 ? 0 : c); };
    FERRY_ASSIGN_OR_RETURN(Tensor bias, Tensor::Allocate(ir::DType::kF32, {w.channels}));
    for (int64_t c = 0; c < w.channels; ++c) {
      const double before = node.HasInput(2) ? ConstantF32(graph_, node.inputs[2])->Number(c) : 0.0;
      bias.SetNumber(c, multiplies ? before * number(c) : before + number(c));
    }
    if (multiplies) {
      const Tensor old = *ConstantF32(graph_, node.inputs[1]);
      FERRY_ASSIGN_OR_RETURN(Tensor weights, Tensor::Allocate(ir::DType::kF32, old.shape()));
      for (int64_t i = 0; i < old.elements(); ++i) {
        weights.SetNumber(i, old.Number(i) * number(i / w.inner % w.channels));
      }
      node.inputs[1] = graph_.AddConstant(names_.Next(), std::move(weights));
    }
    if (!multiplies || node.HasInput(2)) {
      node.inputs.resize(3, kNoValue);
      node.inputs[2] = graph_.AddConstant(names_.Next(), std::move(bias));
    }
    return OkStatus();
  }

  Graph& graph_;
  const Matcher match_;
  FreshNames names_;
  FoldAllowance allowance_;
  std::map<ValueId, int> maker_of_;  // of values whose makers moved into earlier nodes
};

}  // namespace

Result<int> FuseFactors(Graph& graph) {
  return Factors(graph).Run();
}

}  // namespace ferry::passes
