// Products with constant weights of 8 and 4 bits keep them: StoredMatMul widens them where it
// multiplies.
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/quantized/pattern.h"

namespace ferry::passes {
namespace {

using ir::DType;
using ir::Node;
using ir::Tensor;
using ir::ValueId;

struct Factors {
  bool fit = false;
  bool has_zero = false;
  Tensor scale, zero;
};

class Taker {
 public:
  explicit Taker(Graph& graph) : graph_(graph), links_(graph) {}

  Result<int> Run() {
    int taken = 0;
    for (Node& node : graph_.nodes) {
      FERRY_ASSIGN_OR_RETURN(const bool took, Take(node));
      taken += took ? 1 : 0;
    }
    return taken;
  }

 private:
  const Tensor* ConstantOf(const Node& node, size_t input) const {
    if (!node.HasInput(input)) return nullptr;
    const auto& constant = graph_.values[node.inputs[input]].constant;
    return constant ? &*constant : nullptr;
  }
  static int64_t Number(const Node& node, const char* key, int64_t otherwise) {
    const int64_t* given = node.Find<int64_t>(key);
    return given == nullptr ? otherwise : *given;
  }
  static bool IsOne(const Node& node, const char* key) {
    const float* given = node.Find<float>(key);
    return given == nullptr || *given == 1;
  }

  // Whether the product is one of f32 rows and one matrix, as StoredMatMul is.
  bool IsPlain(const Node& node) const {
    if (node.inputs.size() < 2 || graph_.values[node.inputs[0]].dtype != DType::kF32) return false;
    const auto x = graph_.values[node.inputs[0]].FixedShape();
    if (!x || x->rank() < 1 || x->elements() == 0) return false;
    if (node.op == "MatMul") return true;
    if (node.op != "Gemm" || Number(node, "transA", 0) != 0 || !IsOne(node, "alpha")) return false;
    if (!node.HasInput(2)) return true;
    const auto bias = graph_.values[node.inputs[2]].FixedShape();
    const auto y = graph_.values[node.outputs[0]].FixedShape();
    return IsOne(node, "beta") && bias && y && bias->rank() == 1 && (*bias)[0] == (*y)[1];
  }

  // The factors of a matrix [k, n], or [n, k], by blocks of rows: [blocks, n]; not fit: they lie
  // otherwise.
  Result<Factors> FactorsOf(const Node& dequantize, bool transposed) const {
    const Tensor* w = ConstantOf(dequantize, 0);
    const Tensor* scale = ConstantOf(dequantize, 1);
    const Tensor* zero = ConstantOf(dequantize, 2);
    if (w == nullptr || scale == nullptr || scale->dtype() != DType::kF32 ||
        w->shape().rank() != 2 || w->elements() == 0 ||
        (dequantize.HasInput(2) &&
         (zero == nullptr || zero->dtype() != w->dtype() || zero->shape() != scale->shape()))) {
      return Factors();
    }
    const DType dtype = w->dtype();
    if (dtype != DType::kI8 && dtype != DType::kU8 && dtype != DType::kI4 && dtype != DType::kU4) {
      return Factors();
    }
    const int64_t k = w->shape()[transposed ? 1 : 0], n = w->shape()[transposed ? 0 : 1];
    int64_t axis = Number(dequantize, "axis", 1);
    axis += axis < 0 ? 2 : 0;
    const bool along_k = axis == (transposed ? 1 : 0);
    const int64_t block = Number(dequantize, "block_size", 0);
    const tensor::Shape& s = scale->shape();
    int64_t blocks = 1, block_stride = 0, column_stride = 0;
    if (s.elements() == 1 && s.rank() <= 1) {
      // One for all.
    } else if (s.rank() == 1 && block == 0 && !along_k && s[0] == n) {
      column_stride = 1;
    } else if (s.rank() == 2 && block > 0 && along_k && k % block == 0 &&
               s.elements() == k / block * n) {
      blocks = k / block;
      block_stride = transposed ? 1 : n;
      column_stride = transposed ? blocks : 1;
    } else {
      return Factors();
    }
    const std::vector<int64_t> dims = {blocks, n};
    FERRY_ASSIGN_OR_RETURN(const tensor::Shape laid, tensor::Shape::Make(dims));
    const auto spread = [&](const Tensor& from) -> Result<Tensor> {
      FERRY_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(DType::kF32, laid));
      for (int64_t i = 0; i < to.elements(); ++i) {
        to.SetNumber(i, from.Number(i / n * block_stride + i % n * column_stride));
      }
      return to;
    };
    Factors factors;
    FERRY_ASSIGN_OR_RETURN(factors.scale, spread(*scale));
    if (zero != nullptr) {
      FERRY_ASSIGN_OR_RETURN(factors.zero, spread(*zero));
      factors.has_zero = true;
    }
    factors.fit = true;
    return factors;
  }

  Result<bool> Take(Node& node) {
    if ((node.op != "MatMul" && node.op != "Gemm") || !IsPlain(node)) return false;
    const int maker = links_.Maker(node.inputs[1]);
    if (maker < 0) return false;
    const Node& dequantize = graph_.nodes[static_cast<size_t>(maker)];
    if (dequantize.op != "DequantizeLinear" || graph_.values[node.inputs[1]].dtype != DType::kF32) {
      return false;
    }
    const bool transposed = node.op == "Gemm" && Number(node, "transB", 0) != 0;
    FERRY_ASSIGN_OR_RETURN(auto factors, FactorsOf(dequantize, transposed));
    if (!factors.fit) return false;
    Node stored;
    stored.op = "StoredMatMul";
    stored.name = node.name;
    stored.version = node.version;
    for (const char* key : {"activation", "low", "high"}) {
      const auto it = node.attributes.find(key);
      if (it != node.attributes.end()) stored.attributes[key] = it->second;
    }
    if (transposed) stored.attributes["transposed"] = int64_t{1};
    stored.inputs = {node.inputs[0], dequantize.inputs[0]};
    for (size_t i = 2; i < 4; ++i) {
      stored.inputs.push_back(node.HasInput(i) ? node.inputs[i] : ir::kNoValue);
    }
    stored.inputs.push_back(AddConstant(graph_, 'k', std::move(factors.scale)));
    if (factors.has_zero) {
      stored.inputs.push_back(AddConstant(graph_, 'k', std::move(factors.zero)));
    }
    stored.outputs = node.outputs;
    node = std::move(stored);
    return true;
  }

  Graph& graph_;
  const Links links_;
};

}  // namespace

Result<int> TakeStored(Graph& graph) {
  return Taker(graph).Run();
}

}  // namespace ferry::passes
