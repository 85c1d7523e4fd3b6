// NodeProto, AttributeProto, TensorProto: the way back of node.cc and tensor.cc.
#include <algorithm>
#include <array>

#include "device-runtime/formats/onnx/write.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/tensor/packing.h"

namespace ferry::formats {
namespace {

constexpr int64_t kExternalBytes = 1024;  // smaller tensors stay in the model
constexpr uint64_t kExternalAlignment = 4096;

// AttributeProto but for its name, bodies apart.
struct AttributeFields {
  WireMessage& out;
  void operator()(int64_t v) const { out.Integer(3, v).Integer(20, 2); }
  void operator()(float v) const { out.Float(2, v).Integer(20, 1); }
  void operator()(const std::string& v) const { out.Text(4, v).Integer(20, 3); }
  void operator()(const std::vector<int64_t>& v) const {
    for (int64_t item : v) out.Integer(8, item);
    out.Integer(20, 7);
  }
  void operator()(const std::vector<float>& v) const {
    for (float item : v) out.Float(7, item);
    out.Integer(20, 6);
  }
  void operator()(const std::vector<std::string>& v) const {
    for (const std::string& item : v) out.Text(9, item);
    out.Integer(20, 8);
  }
  void operator()(const ir::Tensor&) const {}
  void operator()(const ir::Subgraph&) const {}
};

// Operators that Ferry's passes make, and ONNX has not.
constexpr std::array<std::string_view, 8> kOwn = {"AttendHeads", "ByteTable",   "QAveragePool",
                                                  "QConv",       "QMatMul",     "RowNorm",
                                                  "Silu",        "StoredMatMul"};

// Fused layers are Ferry's own too.
Status CheckPortable(const ir::Node& node) {
  const int most = node.op == "MatMul" ? 2 : 3;
  const bool is_layer = node.op == "Conv" || node.op == "Gemm" || node.op == "MatMul";
  const bool fused =
      is_layer && (node.attributes.contains("activation") || node.formal_inputs() > most);
  if (!fused && std::ranges::find(kOwn, node.op) == kOwn.end()) return OkStatus();
  return Status(Code::kUnsupported, "a fused operator that ONNX has no name for");
}

// An attribute that says something to this implementation alone: see the importer's UpgradeNode.
bool IsOwn(const ir::Node& node, std::string_view key) {
  return key == "flatten" && (node.op == "Softmax" || node.op == "LogSoftmax");
}

}  // namespace

Status OnnxWriter::Node(const ir::Node& node, const Scope& scope, WireMessage& out) {
  FERRY_TRY(CheckPortable(node));
  for (int i = 0; i < node.formal_inputs(); ++i) {
    const ir::ValueId id = node.inputs[static_cast<size_t>(i)];
    out.Text(1, id == ir::kNoValue ? "" : scope.names[id]);
  }
  for (ir::ValueId id : node.outputs) out.Text(2, id == ir::kNoValue ? "" : scope.names[id]);
  out.Text(3, node.name);
  const size_t colon = node.op.rfind(':');
  const bool is_default = colon == std::string::npos;
  const std::string domain = is_default ? "" : node.op.substr(0, colon);
  out.Text(4, is_default ? node.op : node.op.substr(colon + 1));
  if (!domain.empty()) out.Text(7, domain);
  const int version = is_default ? opset_ : std::max(1, node.version);
  const int known = domains_.try_emplace(domain, version).first->second;
  if (known != version) {
    return Status::Of(Code::kUnsupported, "versions {} and {} of domain '{}' in one model", known,
                      version, domain);
  }
  int captured_before = 0;
  for (const auto& [key, attribute] : node.attributes) {
    if (IsOwn(node, key)) continue;
    auto message = Attribute(node, key, attribute, scope, captured_before);
    if (!message.ok()) return message.status().Context("attribute '{}'", key);
    out.Sub(5, *message);
  }
  return OkStatus();
}

Result<WireMessage> OnnxWriter::Attribute(const ir::Node& node, const std::string& key,
                                          const ir::Attribute& attribute, const Scope& scope,
                                          int& captured_before) {
  WireMessage out;
  out.Text(1, key);
  const auto* tensor = std::get_if<ir::Tensor>(&attribute);
  const auto* body = std::get_if<ir::Subgraph>(&attribute);
  const auto* text = std::get_if<std::string>(&attribute);
  if (tensor != nullptr) {
    FERRY_ASSIGN_OR_RETURN(const WireMessage message, TensorMessage("", *tensor));
    out.Sub(5, message).Integer(20, 4);
  } else if (body != nullptr) {
    std::vector<std::string> captured;
    const int first = node.formal_inputs() + captured_before;
    for (int i = 0; i < (*body)->captured; ++i) {
      captured.push_back(scope.names[node.inputs[static_cast<size_t>(first + i)]]);
    }
    captured_before += (*body)->captured;
    FERRY_ASSIGN_OR_RETURN(const WireMessage message, GraphMessage(**body, &scope, captured));
    out.Sub(6, message).Integer(20, 5);
  } else if (text != nullptr && node.op == "Optional" && key == "type") {
    FERRY_ASSIGN_OR_RETURN(const WireMessage message, OnnxTypeMessage(*text));
    out.Sub(14, message).Integer(20, 13);
  } else {
    std::visit(AttributeFields{out}, attribute);
  }
  return out;
}

Result<WireMessage> OnnxWriter::TensorMessage(const std::string& name, const ir::Tensor& tensor) {
  WireMessage out;
  for (int64_t extent : tensor.shape().dims()) out.Integer(1, extent);
  out.Integer(2, ops::OnnxOfDType(tensor.dtype()));
  if (!name.empty()) out.Text(8, name);
  if (tensor.dtype() == ir::DType::kString) {
    for (int64_t i = 0; i < tensor.elements(); ++i) out.Text(6, tensor.Text(i));
    return out;
  }
  const bool is_packed = tensor::IsPacked(tensor.dtype());
  if (is_packed) {
    Bytes packed(static_cast<size_t>(tensor::FileBytes(tensor.dtype(), tensor.elements())));
    tensor::Pack(tensor, packed.data());
    out.Text(9, AsText(packed));
  } else if (external_ != nullptr && tensor.size_bytes() >= kExternalBytes) {
    External(tensor, out);
  } else {
    out.Raw(9, tensor.bytes());
  }
  return out;
}

void OnnxWriter::External(const ir::Tensor& tensor, WireMessage& out) {
  static constexpr std::array<uint8_t, kExternalAlignment> kZeros{};
  const auto size = static_cast<uint64_t>(tensor.size_bytes());
  const uint64_t gap =
      (kExternalAlignment - external_->size % kExternalAlignment) % kExternalAlignment;
  if (gap > 0) external_->pieces.push_back(ByteView(kZeros).first(gap));
  external_->size += gap;
  const auto entry = [&](std::string_view key, const std::string& value) {
    out.Sub(13, WireMessage().Text(1, key).Text(2, value));
  };
  entry("location", external_->file);
  entry("offset", fmt::format("{}", external_->size));
  entry("length", fmt::format("{}", size));
  out.Integer(14, 1);
  external_->pieces.push_back(tensor.bytes());
  external_->size += size;
}

}  // namespace ferry::formats
