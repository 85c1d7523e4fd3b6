// softmax(scale * q k^T + biases) v, as exporters spell it, to one AttendHeads. Between the
// products may stand factors, masks that are added, and reshapes that regroup leading axes
// (windows); what splits and joins heads around it are strided reads once rasters are merged.
#include <array>

#include "device-runtime/ir/program.h"
#include "device-runtime/passes/fuse/match.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

using ir::kNoValue;
using ir::Shape;
using ir::ValueId;

struct Attention {
  ValueId q, k, v;  // k is transposed: [..., depth, keys]
  double scale = 1;
  std::vector<ValueId> biases;
  std::vector<Shape> shapes;  // of the biases, seen against the scores of the product
};

class AttentionFinder {
 public:
  explicit AttentionFinder(Graph& graph)
      : graph_(graph), match_(graph), names_(graph, "regrouped") {}

  Result<int> Run() {
    struct Found {
      size_t at;
      Attention attention;
    };
    std::vector<Found> found;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (auto attention = AttentionOf(graph_.nodes[i])) found.push_back({i, *attention});
    }
    std::vector<ir::Node> nodes;
    size_t next = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (next < found.size() && found[next].at == i) {
        FERRY_TRY(Replace(graph_.nodes[i], found[next++].attention, nodes));
      }
      nodes.push_back(std::move(graph_.nodes[i]));
    }
    graph_.nodes = std::move(nodes);
    return static_cast<int>(found.size());
  }

 private:
  bool IsPlainProduct(const ir::Node* node) const {
    return node != nullptr && node->op == "MatMul" && node->inputs.size() == 2 &&
           node->attributes.empty() && match_.IsF32(node->inputs[0]);
  }

  std::optional<Attention> AttentionOf(const ir::Node& last) const {
    if (!IsPlainProduct(&last) || !match_.IsReadOnce(last.inputs[0])) return std::nullopt;
    const ir::Node* softmax = match_.Maker(last.inputs[0], "Softmax");
    if (softmax == nullptr) return std::nullopt;
    const auto scores = match_.ShapeOf(softmax->inputs[0]);
    if (!scores || !IsLastAxis(*softmax, scores->rank())) return std::nullopt;
    Attention a;
    a.v = last.inputs[1];
    ValueId at = softmax->inputs[0];
    const ir::Node* product = nullptr;
    while (product == nullptr) {
      const ir::Node* node = match_.Maker(at);
      if (node == nullptr || !match_.IsReadOnce(at)) return std::nullopt;
      if (IsPlainProduct(node)) {
        product = node;
      } else if (!Step(*node, a, at)) {
        return std::nullopt;
      }
    }
    a.q = product->inputs[0];
    a.k = product->inputs[1];
    const auto products = match_.ShapeOf(product->outputs[0]);
    if (!products || !Fits(a, *products)) return std::nullopt;
    TakeFactor(a.q, a.scale);
    TakeFactor(a.k, a.scale);
    return a;
  }

  static bool IsLastAxis(const ir::Node& softmax, int rank) {
    const int64_t* axis = softmax.Find<int64_t>("axis");
    if (softmax.Find<int64_t>("flatten") != nullptr) return false;
    // Before opset 13 the default was 1.
    const int64_t of = axis != nullptr                                ? *axis
                       : softmax.version != 0 && softmax.version < 13 ? 1
                                                                      : -1;
    return rank >= 2 && (of == -1 || of == rank - 1);
  }

  // One node between the scores of the product and those of the softmax, from the end; `at` moves
  // to its input.
  bool Step(const ir::Node& node, Attention& a, ValueId& at) const {
    if (node.op == "Mul" || node.op == "Div") {
      const auto factor = match_.WithNumber(node);
      if (!factor || factor->second == 0) return false;
      a.scale *= node.op == "Mul" ? factor->second : 1 / factor->second;
      at = factor->first;
      return true;
    }
    if (node.op == "Reshape") return Regroup(node, a, at);
    if (node.op != "Add" || a.scale != 1 || a.biases.size() == 2) return false;
    const auto out = match_.ShapeOf(node.outputs[0]);
    for (size_t side = 0; out && side < 2; ++side) {
      const auto shape = match_.ShapeOf(node.inputs[side]);
      const auto bias = match_.ShapeOf(node.inputs[1 - side]);
      const ir::Node* maker = match_.Maker(node.inputs[side]);
      const bool leads = maker != nullptr && match_.IsReadOnce(node.inputs[side]) &&
                         (maker->op == "MatMul" || maker->op == "Mul" || maker->op == "Div" ||
                          maker->op == "Reshape" || maker->op == "Add");
      if (!leads || !shape || *shape != *out || !bias || !match_.IsF32(node.inputs[1 - side])) {
        continue;
      }
      a.biases.push_back(node.inputs[1 - side]);
      a.shapes.push_back(*bias);
      at = node.inputs[side];
      return true;
    }
    return false;
  }

  // A reshape of the scores that leaves the last two axes: the biases behind it take its input's
  // leading axes.
  bool Regroup(const ir::Node& node, Attention& a, ValueId& at) const {
    const auto from = match_.ShapeOf(node.inputs[0]);
    const auto to = match_.ShapeOf(node.outputs[0]);
    if (!from || !to || from->rank() < 2 || to->rank() < 2) return false;
    for (int i = 1; i <= 2; ++i) {
      if ((*from)[from->rank() - i] != (*to)[to->rank() - i]) return false;
    }
    for (Shape& shape : a.shapes) {
      auto seen = Seen(shape, *to, *from);
      if (!seen) return false;
      shape = *seen;
    }
    at = node.inputs[0];
    return true;
  }

  // A bias that broadcasts to scores of shape `to`, seen against the same scores of shape `from`:
  // leading axes that join must all repeat, or none.
  static std::optional<Shape> Seen(const Shape& bias, const Shape& to, const Shape& from) {
    auto extent = [&](int axis) {  // of the bias, along an axis of `to`
      const int own = axis - (to.rank() - bias.rank());
      return own < 0 ? 1 : bias[own];
    };
    std::vector<int64_t> dims;
    int j = 0;
    for (int i = 0; i < from.rank() - 2; ++i) {
      int64_t joined = 1, own = 1;
      bool all = true, none = true;
      while (joined < from[i] && j < to.rank() - 2) {
        all = all && extent(j) == to[j];
        none = none && extent(j) == 1;
        own *= extent(j);
        joined *= to[j++];
      }
      if (joined != from[i] || (!all && !none)) return std::nullopt;
      dims.push_back(own);
    }
    for (; j < to.rank() - 2; ++j) {
      if (to[j] != 1) return std::nullopt;
    }
    for (int axis = to.rank() - 2; axis < to.rank(); ++axis) dims.push_back(extent(axis));
    auto shape = Shape::Make(dims);
    return shape.ok() ? std::optional(*shape) : std::nullopt;
  }

  // Whether the operands are what AttendHeads takes.
  bool Fits(const Attention& a, const Shape& scores) const {
    const auto q = match_.ShapeOf(a.q);
    const auto k = match_.ShapeOf(a.k);
    const auto v = match_.ShapeOf(a.v);
    if (!q || !k || !v || q->rank() < 2 || k->rank() != q->rank() || v->rank() != q->rank()) {
      return false;
    }
    const int rank = q->rank();
    for (int i = 0; i < rank - 2; ++i) {
      if ((*k)[i] != (*q)[i] || (*v)[i] != (*q)[i]) return false;
    }
    for (const Shape& bias : a.shapes) {
      auto both = tensor::BroadcastShapes(bias, scores);
      if (!both.ok() || *both != scores) return false;
    }
    return scores.elements() > 0 && (*q)[rank - 1] <= ir::kMaxAttentionDepth;
  }

  // A factor of all of an operand goes into the scale.
  void TakeFactor(ValueId& id, double& scale) const {
    const ir::Node* node = match_.Maker(id);
    if (node == nullptr || (node->op != "Mul" && node->op != "Div")) return;
    const auto factor = match_.WithNumber(*node);
    if (!factor || factor->second == 0) return;
    if (match_.ShapeOf(factor->first) != match_.ShapeOf(id)) return;
    scale *= node->op == "Mul" ? factor->second : 1 / factor->second;
    id = factor->first;
  }

  // `node`, the product with the values, becomes the attention; biases that are seen with other
  // extents get a reshape before it.
  Status Replace(ir::Node& node, const Attention& a, std::vector<ir::Node>& nodes) {
    std::vector<ValueId> inputs = {a.q, a.k, a.v};
    for (size_t i = 0; i < a.biases.size(); ++i) {
      ValueId bias = a.biases[i];
      if (*match_.ShapeOf(bias) != a.shapes[i]) {
        FERRY_ASSIGN_OR_RETURN(bias, Reshaped(bias, a.shapes[i], nodes));
      }
      inputs.push_back(bias);
    }
    node.op = "AttendHeads";
    node.version = 0;
    node.inputs = std::move(inputs);
    node.attributes = {{"scale", static_cast<float>(a.scale)}, {"transposed", int64_t{1}}};
    return OkStatus();
  }

  Result<ValueId> Reshaped(ValueId from, const Shape& shape, std::vector<ir::Node>& nodes) {
    const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    FERRY_ASSIGN_OR_RETURN(tensor::Tensor list, tensor::Tensor::Of<int64_t>({shape.rank()}, dims));
    ir::Node reshape;
    reshape.op = "Reshape";
    reshape.name = names_.Next();
    reshape.inputs = {from, graph_.AddConstant(names_.Next(), std::move(list))};
    const ValueId to = graph_.AddValue(names_.Next());
    ir::Value& value = graph_.values[static_cast<size_t>(to)];
    value.dtype = ir::DType::kF32;
    value.dims.emplace();
    for (int64_t extent : dims) value.dims->push_back({extent, ""});
    reshape.outputs = {to};
    nodes.push_back(std::move(reshape));
    return to;
  }

  Graph& graph_;
  const Matcher match_;
  FreshNames names_;
};

}  // namespace

Result<int> FuseAttention(Graph& graph) {
  return AttentionFinder(graph).Run();
}

}  // namespace ferry::passes
