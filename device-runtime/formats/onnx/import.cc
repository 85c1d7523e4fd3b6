// From ONNX messages to a graph: names to ids, constants, differences between opsets.
#include <algorithm>
#include <unordered_map>

#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/onnx/messages.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/op.h"

namespace ferry::formats {
namespace {

// Operators changed shape below 7; above 24 this importer has not been checked.
inline constexpr int64_t kMinOpset = 7;
inline constexpr int64_t kMaxOpset = 24;

class Importer {
 public:
  explicit Importer(OnnxModel model) : model_(std::move(model)) {}

  Result<ir::Graph> Run() {
    graph_.name = model_.graph.name.empty() ? "graph" : model_.graph.name;
    for (OnnxTensor& tensor : model_.graph.initializers) {
      if (tensor.name.empty()) return Status(Code::kBadModel, "an initializer has no name");
      if (ids_.contains(tensor.name)) return Twice(tensor.name);
      ids_[tensor.name] = graph_.AddConstant(tensor.name, std::move(tensor.tensor));
    }
    for (const OnnxValueInfo& input : model_.graph.inputs) FERRY_TRY(Input(input));
    for (OnnxNode& node : model_.graph.nodes) {
      if (node.name.empty()) node.name = fmt::format("{}_{}", node.op, ++unnamed_);
      FERRY_TRY(OneNode(node));
    }
    for (const OnnxValueInfo& output : model_.graph.outputs) FERRY_TRY(Output(output));
    if (graph_.outputs.empty()) return Status(Code::kBadModel, "the graph has no output");
    FERRY_TRY(DropSpareOutputs());
    FERRY_TRY(ir::Verify(graph_));
    FERRY_TRY(ops::CheckNodes(graph_));
    return std::move(graph_);
  }

 private:
  static Status Twice(const std::string& name) {
    return Status::Of(Code::kBadModel, "two values are named '{}'", name);
  }

  Status Input(const OnnxValueInfo& input) {
    auto known = ids_.find(input.name);
    if (known != ids_.end()) {  // up to IR version 3 initializers were listed as inputs too
      return graph_.IsConstant(known->second) ? OkStatus() : Twice(input.name);
    }
    auto dtype = ops::DTypeOfOnnx(input.type);
    if (!dtype.ok()) return dtype.status().Context("input '{}'", input.name);
    if (!input.has_shape) {
      return Status::Of(Code::kUnsupported, "input '{}' has no shape", input.name);
    }
    const ir::ValueId id = Declare(input.name);
    graph_.values[id].dtype = *dtype;
    graph_.values[id].dims = input.dims;
    graph_.inputs.push_back(id);
    return OkStatus();
  }

  Status Output(const OnnxValueInfo& output) {
    auto known = ids_.find(output.name);
    if (known == ids_.end()) {
      return Status::Of(Code::kBadModel, "graph output '{}' is never made", output.name);
    }
    ir::Value& value = graph_.values[known->second];
    graph_.outputs.push_back(known->second);
    if (value.constant || value.dtype) return OkStatus();
    auto dtype = ops::DTypeOfOnnx(output.type);
    if (!dtype.ok()) return OkStatus();  // a missing type: the shape rules will tell
    value.dtype = *dtype;
    if (output.has_shape && output.dims.size() <= tensor::kMaxRank) value.dims = output.dims;
    return OkStatus();
  }

  ir::ValueId Declare(const std::string& name) { return ids_[name] = graph_.AddValue(name); }

  Status OneNode(OnnxNode& from) {
    const std::string text = fmt::format("node '{}' ({})", from.name, from.op);
    if (!from.domain.empty() && from.domain != "ai.onnx") {
      return Status::Of(Code::kUnsupportedOperator, "{}: operator '{}' of domain '{}'", text,
                        from.op, from.domain);
    }
    if (from.op == "Constant") return Constant(from).Context("{}", text);
    ir::Node node;
    node.op = from.op;
    node.name = from.name;
    if (ops::FindOp(node.op) == nullptr) {
      return Status::Of(Code::kUnsupportedOperator, "{}: no operator '{}' in domain 'ai.onnx'",
                        text, from.op);
    }
    while (!from.inputs.empty() && from.inputs.back().empty()) from.inputs.pop_back();
    for (const std::string& name : from.inputs) {
      if (name.empty()) {
        node.inputs.push_back(ir::kNoValue);
        continue;
      }
      auto known = ids_.find(name);
      if (known == ids_.end()) {
        return Status::Of(Code::kBadModel, "{} reads '{}', which nothing before it makes", text,
                          name);
      }
      node.inputs.push_back(known->second);
    }
    for (const std::string& name : from.outputs) {
      if (ids_.contains(name)) return Twice(name).Context("{}", text);
      node.outputs.push_back(name.empty() ? ir::kNoValue : Declare(name));
    }
    for (OnnxAttribute& attribute : from.attributes) {
      if (!attribute.is_graph) node.attributes[attribute.name] = std::move(attribute.value);
    }
    Upgrade(node);
    graph_.nodes.push_back(std::move(node));
    return OkStatus();
  }

  // What an older opset means by other rules than today's.
  void Upgrade(ir::Node& node) const {
    const bool softmax = node.op == "Softmax" || node.op == "LogSoftmax";
    if (softmax && model_.opset < 13) {
      if (!node.attributes.contains("axis")) node.attributes["axis"] = int64_t{1};
      node.attributes["flatten"] = int64_t{1};
    }
    // Only Ferry's own passes fuse.
    for (const char* own : {"activation", "low", "high"}) node.attributes.erase(own);
  }

  Status Constant(OnnxNode& node) {
    if (node.outputs.size() != 1 || node.outputs[0].empty()) {
      return Status(Code::kBadModel, "a constant needs one output");
    }
    if (ids_.contains(node.outputs[0])) return Twice(node.outputs[0]);
    for (OnnxAttribute& attribute : node.attributes) {
      if (attribute.is_graph) continue;
      FERRY_ASSIGN_OR_RETURN(tensor::Tensor tensor, std::visit(Elements{}, attribute.value));
      ids_[node.outputs[0]] = graph_.AddConstant(node.outputs[0], std::move(tensor));
      return OkStatus();
    }
    return Status(Code::kUnsupported, "a constant without a number or tensor");
  }

  struct Elements {
    using Out = Result<tensor::Tensor>;
    Out operator()(int64_t v) const { return tensor::Tensor::Of<int64_t>({}, {&v, 1}); }
    Out operator()(float v) const { return tensor::Tensor::Of<float>({}, {&v, 1}); }
    Out operator()(const std::string&) const {
      return Status(Code::kUnsupported, "a text constant");
    }
    Out operator()(const std::vector<int64_t>& v) const {
      return tensor::Tensor::Of<int64_t>({static_cast<int64_t>(v.size())}, v);
    }
    Out operator()(const std::vector<float>& v) const {
      return tensor::Tensor::Of<float>({static_cast<int64_t>(v.size())}, v);
    }
    Out operator()(const tensor::Tensor& v) const { return v; }
  };

  // Optional outputs that nobody reads (Dropout's mask) go, so that operators need not make them.
  Status DropSpareOutputs() {
    const std::vector<int> uses = graph_.UseCounts();
    for (ir::Node& node : graph_.nodes) {
      const ops::Op* op = ops::FindOp(node.op);
      while (static_cast<int>(node.outputs.size()) > op->max_outputs &&
             (node.outputs.back() == ir::kNoValue || uses[node.outputs.back()] == 0)) {
        node.outputs.pop_back();
      }
    }
    graph_.CompactValues();
    return OkStatus();
  }

  OnnxModel model_;
  ir::Graph graph_;
  std::unordered_map<std::string, ir::ValueId> ids_;
  int unnamed_ = 0;
};

}  // namespace

Result<ir::Graph> ImportOnnx(ByteView bytes) {
  if (bytes.size() > kMaxOnnxBytes) {
    return Status::Of(Code::kLimitExceeded, "{} bytes pass the limit of {}", bytes.size(),
                      kMaxOnnxBytes);
  }
  FERRY_ASSIGN_OR_RETURN(OnnxModel model, ReadOnnxModel(bytes));
  if (!model.has_graph) return Status(Code::kBadModel, "not an ONNX model: it holds no graph");
  if (model.opset < kMinOpset || model.opset > kMaxOpset) {
    return Status::Of(Code::kUnsupported, "opset {} is outside {} to {}", model.opset, kMinOpset,
                      kMaxOpset);
  }
  return Importer(std::move(model)).Run();
}

}  // namespace ferry::formats
