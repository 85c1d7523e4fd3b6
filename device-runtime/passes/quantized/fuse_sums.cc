// Products of dequantized tensors become integer sums; what stands between them and the
// QuantizeLinear behind (a clip, an addition) goes into their epilogue. Differs from the float
// nodes by at most one step of the output's quantization, where rounding goes the other way.
#include <algorithm>
#include <cmath>

#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/quantized/sums.h"

namespace ferry::passes {
namespace {

using ir::Node;
using ir::ValueId;

// A product and the nodes between it and the value that was asked for.
struct Branch {
  QuantProduct product;
  std::vector<int> between;
  std::optional<Quantization> first;  // it is quantized and dequantized on the way
};

class FuseSumsPass {
 public:
  explicit FuseSumsPass(Graph& graph)
      : graph_(graph), links_(graph), gone_(graph.nodes.size(), false) {}

  // From the last node on: a sum that takes another as its addend comes before that one is looked
  // at.
  Result<int> Run() {
    for (int i = static_cast<int>(graph_.nodes.size()) - 1; i >= 0; --i) {
      if (gone_[static_cast<size_t>(i)] || At(i).op != "QuantizeLinear") continue;
      FERRY_TRY(FuseQuantized(i));
    }
    for (int i = 0; i < static_cast<int>(gone_.size()); ++i) {
      if (!gone_[static_cast<size_t>(i)]) FERRY_TRY(FuseToFloat(i));
    }
    KeepNodes(graph_, gone_);
    return fused_;
  }

 private:
  Node& At(int i) { return graph_.nodes[static_cast<size_t>(i)]; }

  // The node that makes `id`, which nothing else reads; -1: none.
  int OnlyMaker(ValueId id) const {
    const int maker = links_.Maker(id);
    const bool takes = maker >= 0 && !gone_[static_cast<size_t>(maker)] && links_.IsReadOnce(id);
    return takes ? maker : -1;
  }

  // The product behind a value, a clip between them at most.
  Result<std::optional<Branch>> Direct(ValueId id) {
    std::optional<Branch> none;
    int maker = OnlyMaker(id);
    if (maker < 0) return none;
    Branch b;
    Bounds bounds;
    if (const auto clip = BoundsOf(graph_, At(maker))) {
      bounds = *clip;
      b.between.push_back(maker);
      maker = OnlyMaker(At(maker).inputs[0]);
    }
    const std::shared_ptr<const ir::Tensor> bias = ConstantBias(maker);
    if (bias) {
      b.between.push_back(maker);
      maker = OnlyMaker(At(maker).inputs[graph_.IsConstant(At(maker).inputs[0]) ? 1 : 0]);
    }
    FERRY_ASSIGN_OR_RETURN(auto product, ProductOf(graph_, links_, maker));
    if (!product || (bias && !TakesBias(*product, *bias))) return none;
    if (bias) product->bias = bias;
    b.product = *std::move(product);
    b.product.bounds.Then(bounds);
    b.between.push_back(maker);
    return std::optional<Branch>(std::move(b));
  }

  // The constant that an Add adds.
  std::shared_ptr<const ir::Tensor> ConstantBias(int node) {
    if (node < 0 || At(node).op != "Add") return nullptr;
    for (ValueId id : At(node).inputs) {
      if (graph_.IsConstant(id)) return std::make_shared<ir::Tensor>(*graph_.values[id].constant);
    }
    return nullptr;
  }

  // Whether the constant has a number for each column of a product without bias or clip.
  bool TakesBias(const QuantProduct& product, const ir::Tensor& bias) {
    const auto columns = static_cast<int64_t>(product.scale.size());
    const int rank = bias.shape().rank();
    const Bounds& b = product.bounds;
    return At(product.node).op != "Conv" && !product.bias && bias.dtype() == ir::DType::kF32 &&
           bias.elements() == columns && rank > 0 && bias.shape()[rank - 1] == columns &&
           rank <= graph_.values[At(product.node).outputs[0]].FixedShape()->rank() &&
           !std::isfinite(b.low) && !std::isfinite(b.high);
  }

  // The same where the product may be quantized and dequantized on the way.
  Result<std::optional<Branch>> OneSide(ValueId id) {
    const int dequantize = OnlyMaker(id);
    const auto source = dequantize < 0 ? std::nullopt : links_.Dequantized(id);
    if (!source) return Direct(id);
    const int quantize = OnlyMaker(source->id);
    if (quantize < 0 || At(quantize).op != "QuantizeLinear") {
      return std::optional<Branch>();
    }
    const auto first = QuantizationOf(graph_, At(quantize));
    if (!first || *first != source->quantization) return std::optional<Branch>();
    FERRY_ASSIGN_OR_RETURN(auto branch, Direct(At(quantize).inputs[0]));
    if (!branch) return branch;
    branch->first = first;
    branch->between.push_back(quantize);
    branch->between.push_back(dequantize);
    return branch;
  }

  // The side of an addition that becomes a sum with the other as its addend: the later one.
  Status FuseAdd(int quantize, int add, Bounds bounds, std::vector<int> between) {
    const Node node = At(add);
    const auto shape = graph_.values[node.inputs[0]].FixedShape();
    if (!shape || shape != graph_.values[node.inputs[1]].FixedShape()) return OkStatus();
    std::optional<Branch> best;
    size_t best_side = 0;
    for (size_t side = 0; side < 2 && node.inputs[0] != node.inputs[1]; ++side) {
      if (!links_.Dequantized(node.inputs[1 - side])) continue;
      FERRY_ASSIGN_OR_RETURN(auto branch, OneSide(node.inputs[side]));
      if (!branch || (best && best->product.node > branch->product.node)) continue;
      const Bounds& own = branch->product.bounds;
      const bool clips = std::isfinite(own.low) || std::isfinite(own.high);
      if (clips && !branch->first) continue;
      best = std::move(branch);
      best_side = side;
    }
    if (!best) return OkStatus();
    QuantResult result;
    result.y = QuantizationOf(graph_, At(quantize));
    result.bounds = bounds;
    result.add = links_.Dequantized(node.inputs[1 - best_side]);
    result.first = best->first;
    between.push_back(add);
    between.insert(between.end(), best->between.begin(), best->between.end());
    return Replace(quantize, best->product, result, between);
  }

  Status FuseQuantized(int quantize) {
    QuantResult result;
    result.y = QuantizationOf(graph_, At(quantize));
    if (!result.y) return OkStatus();
    const ValueId id = At(quantize).inputs[0];
    FERRY_ASSIGN_OR_RETURN(auto branch, Direct(id));
    if (branch) {
      result.bounds = branch->product.bounds;
      return Replace(quantize, branch->product, result, branch->between);
    }
    int maker = OnlyMaker(id);
    std::vector<int> between;
    Bounds bounds;
    if (maker < 0) return OkStatus();
    if (const auto clip = BoundsOf(graph_, At(maker))) {
      bounds = *clip;
      between.push_back(maker);
      maker = OnlyMaker(At(maker).inputs[0]);
    }
    if (maker < 0) return OkStatus();
    if (At(maker).op != "Add") return OkStatus();
    return FuseAdd(quantize, maker, bounds, std::move(between));
  }

  Status Replace(int at, const QuantProduct& product, const QuantResult& result,
                 const std::vector<int>& between) {
    FERRY_ASSIGN_OR_RETURN(auto node, SumNode(graph_, product, result, At(at).outputs[0]));
    if (!node) return OkStatus();
    for (int i : between) gone_[static_cast<size_t>(i)] = true;
    At(at) = *std::move(node);
    gone_[static_cast<size_t>(at)] = false;
    ++fused_;
    return OkStatus();
  }

  Status FuseToFloat(int i) {
    QuantResult result;
    FERRY_ASSIGN_OR_RETURN(auto product, ProductOf(graph_, links_, i));
    if (!product) return OkStatus();
    result.bounds = product->bounds;
    return Replace(i, *product, result, {});
  }

  Graph& graph_;
  const Links links_;
  std::vector<bool> gone_;
  int fused_ = 0;
};

}  // namespace

Result<int> FuseSums(Graph& graph) {
  return FuseSumsPass(graph).Run();
}

}  // namespace ferry::passes
