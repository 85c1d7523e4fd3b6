// Means over positions of dequantized tensors become integer sums (QAveragePool), with the clip and
// the QuantizeLinear behind them.
#include <algorithm>
#include <cmath>

#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/quantized/sums.h"

namespace ferry::passes {
namespace {

using ir::Node;
using ir::ValueId;

class FuseMeansPass {
 public:
  explicit FuseMeansPass(Graph& graph)
      : graph_(graph), links_(graph), gone_(graph.nodes.size(), false) {}

  Result<int> Run() {
    const auto count = static_cast<int>(gone_.size());
    for (int i = 0; i < count; ++i) {
      if (At(i).op == "QuantizeLinear") FERRY_TRY(FuseQuantized(i));
    }
    for (int i = 0; i < count; ++i) {
      if (!gone_[static_cast<size_t>(i)]) FERRY_TRY(FuseMean(i, -1, {}, {}));
    }
    KeepNodes(graph_, gone_);
    return fused_;
  }

 private:
  Node& At(int i) { return graph_.nodes[static_cast<size_t>(i)]; }
  int OnlyMaker(ValueId id) const { return links_.IsReadOnce(id) ? links_.Maker(id) : -1; }

  Status FuseQuantized(int quantize) {
    QuantResult result;
    result.y = QuantizationOf(graph_, At(quantize));
    int maker = OnlyMaker(At(quantize).inputs[0]);
    std::vector<int> between;
    if (!result.y || maker < 0) return OkStatus();
    if (const auto clip = BoundsOf(graph_, At(maker))) {
      result.bounds = *clip;
      between.push_back(maker);
      maker = OnlyMaker(At(maker).inputs[0]);
    }
    if (maker < 0) return OkStatus();
    return FuseMean(maker, quantize, result, std::move(between));
  }

  // The kernel of a mean over positions; empty: the node is none.
  std::vector<int64_t> MeanKernel(const Node& node) const {
    const auto x = graph_.values[node.inputs[0]].FixedShape();
    if (!x || x->rank() < 3 || x->rank() > 4 || x->elements() == 0) return {};
    const std::vector<int64_t> all(x->dims().begin() + 2, x->dims().end());
    if (node.op == "GlobalAveragePool") return all;
    if (node.op == "AveragePool") {
      const auto* kernel = node.Find<std::vector<int64_t>>("kernel_shape");
      return kernel == nullptr ? std::vector<int64_t>() : *kernel;
    }
    if (node.op != "ReduceMean") return {};
    std::vector<int64_t> axes;
    if (const auto* given = node.Find<std::vector<int64_t>>("axes")) axes = *given;
    if (node.HasInput(1)) {
      if (!graph_.IsConstant(node.inputs[1])) return {};
      const ir::Tensor& t = *graph_.values[node.inputs[1]].constant;
      for (int64_t a = 0; a < t.elements(); ++a) axes.push_back(t.Integer(a));
    }
    for (int64_t& axis : axes) axis += axis < 0 ? x->rank() : 0;
    std::ranges::sort(axes);
    for (size_t a = 0; a < all.size(); ++a) {
      if (axes.size() != all.size() || axes[a] != static_cast<int64_t>(a) + 2) return {};
    }
    return all;
  }

  // A mean of a dequantized tensor, with the QuantizeLinear at `quantize` (-1: none).
  Status FuseMean(int mean, int quantize, const QuantResult& result, std::vector<int> between) {
    const Node node = At(mean);
    if (node.inputs.empty()) return OkStatus();
    const auto source = links_.Dequantized(node.inputs[0]);
    if (!source) return OkStatus();
    const std::vector<int64_t> kernel = MeanKernel(node);
    if (kernel.empty()) return OkStatus();
    const int last = quantize < 0 ? mean : quantize;
    const ValueId out = At(last).outputs[0];
    const auto shape = graph_.values[node.outputs[0]].FixedShape();
    const auto x = graph_.values[node.inputs[0]].FixedShape();
    // One place for two nodes.
    if (!shape || (quantize < 0 && shape->rank() != x->rank())) return OkStatus();
    Node sum;
    sum.op = "QAveragePool";
    sum.name = node.name;
    sum.version = node.version;
    if (node.op == "AveragePool") sum.attributes = node.attributes;
    sum.attributes["kernel_shape"] = kernel;
    SetResult(result, source->quantization.zero, sum);
    const double y = result.y ? static_cast<double>(result.y->scale) : 1.0;
    const auto factor = static_cast<float>(static_cast<double>(source->quantization.scale) / y);
    if (!std::isfinite(factor)) return OkStatus();
    sum.attributes["factor"] = factor;
    sum.inputs = {source->id};
    sum.outputs = {out};
    for (int i : between) gone_[static_cast<size_t>(i)] = true;
    if (quantize >= 0) gone_[static_cast<size_t>(mean)] = true;
    ++fused_;
    if (shape->rank() == x->rank()) {
      At(last) = std::move(sum);
      return OkStatus();
    }
    return Reshaped(mean, last, std::move(sum), *shape, *x, result);
  }

  // ReduceMean without the reduced axes: the pool where the mean stood, a Reshape behind.
  Status Reshaped(int mean, int last, Node sum, const ir::Shape& shape, const ir::Shape& x,
                  const QuantResult& result) {
    std::vector<int64_t> dims(static_cast<size_t>(x.rank()), 1);
    dims[0] = x[0];
    dims[1] = x[1];
    FERRY_ASSIGN_OR_RETURN(const ir::Shape pooled, ir::Shape::Make(dims));
    const std::vector<int64_t> to(shape.dims().begin(), shape.dims().end());
    FERRY_ASSIGN_OR_RETURN(auto target,
                           ir::Tensor::Of<int64_t>({static_cast<int64_t>(to.size())}, to));
    Node reshape;
    reshape.op = "Reshape";
    reshape.name = sum.name;
    reshape.outputs = sum.outputs;
    const ValueId between =
        AddTyped(graph_, 'n', result.y ? result.y->dtype : ir::DType::kF32, pooled);
    reshape.inputs = {between, AddConstant(graph_, 'n', std::move(target))};
    sum.outputs = {between};
    At(mean) = std::move(sum);
    gone_[static_cast<size_t>(mean)] = false;
    At(last) = std::move(reshape);
    return OkStatus();
  }

  Graph& graph_;
  const Links links_;
  std::vector<bool> gone_;
  int fused_ = 0;
};

}  // namespace

Result<int> FuseMeans(Graph& graph) {
  return FuseMeansPass(graph).Run();
}

}  // namespace ferry::passes
