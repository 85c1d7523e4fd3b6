// The messages of the ONNX specification that the importer reads, as plain structs. Fields that are
// not here are skipped. Source: ONNX IR specification (message and field numbers).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device-runtime/formats/onnx/files.h"
#include "device-runtime/formats/onnx/wire.h"
#include "device-runtime/ir/graph.h"

namespace ferry::formats {

// What is well-formed but cannot be imported (complex numbers, say) is read as far as it goes, with
// the reason in `problem`, so that the importer can name everything of the kind at once.
struct OnnxTensor {
  std::string name;
  tensor::Tensor tensor;
  Status problem;
};
struct OnnxGraph;
struct OnnxAttribute {
  std::string name;
  std::string ref;  // in functions: the attribute of the call that it stands for
  ir::Attribute value;
  std::shared_ptr<const OnnxGraph> graph;  // instead of `value`
  Status problem;
};
struct OnnxNode {
  std::string name, op, domain, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<OnnxAttribute> attributes;
};
struct OnnxType {
  ir::ValueKind kind = ir::ValueKind::kTensor;
  int64_t element = 0;  // 0: none is given
  bool has_shape = false;
  std::vector<ir::Dim> dims;
  Status problem;
};
struct OnnxValueInfo {
  std::string name;
  OnnxType type;
};
struct OnnxGraph {
  std::string name;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxValueInfo> inputs, outputs;
};
// Versions of operator domains; the default domain is "".
struct OnnxOpsets {
  std::vector<std::pair<std::string, int64_t>> rows;
  // 0: not imported.
  int64_t Of(std::string_view domain) const;
};
struct OnnxFunction {
  std::string name, domain, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxAttribute> defaults;
  OnnxOpsets opsets;
};
struct OnnxModel {
  OnnxOpsets opsets;
  bool has_graph = false;
  OnnxGraph graph;
  std::vector<OnnxFunction> functions;
};

// "" for the default domain, which has two names.
std::string_view OnnxDomain(std::string_view domain);

// Most bytes that sparse tensors may take as dense ones.
inline constexpr int64_t kMaxOnnxDenseBytes = int64_t{256} << 20;

// What reading one model shares.
class OnnxReader {
 public:
  // `files`, if any, holds the model's bytes, and large tensors stay in them. Without it all
  // tensors are copies, and those in other files cannot be read.
  explicit OnnxReader(ByteView model, OnnxFiles* files = nullptr) : bytes_(model), files_(files) {}

  // kBadModel names byte offset, and tensor or node where known.
  Result<OnnxModel> Model();
  // One TensorProto, also outside a model.
  Result<OnnxTensor> TensorMessage(const WireField& field);

 private:
  // Each reads one message.
  Result<OnnxTensor> SparseTensor(const WireField& field);
  Result<OnnxAttribute> Attribute(const WireField& field);
  Result<OnnxNode> Node(const WireField& field);
  Status AppendNode(const WireField& field, std::vector<OnnxNode>& nodes);
  Result<OnnxGraph> Graph(const WireField& field);
  Result<OnnxFunction> Function(const WireField& field);

  struct AttributeParts;
  Status AttributePart(const WireField& field, AttributeParts& parts);
  struct TensorParts;
  Result<tensor::Tensor> Build(const TensorParts& parts);
  Result<OnnxPiece> RawBytes(const TensorParts& parts);
  Result<tensor::Tensor> Densify(const tensor::Tensor& values, const tensor::Tensor& indices,
                                 const tensor::Shape& shape);

  ByteView bytes_;
  OnnxFiles* files_;
  int depth_ = 0;  // of graphs inside graphs
  size_t nodes_ = 0;
  int64_t dense_bytes_ = 0;
};

Result<OnnxValueInfo> ReadOnnxValueInfo(const WireField& field);
Result<OnnxType> ReadOnnxType(const WireField& field);
// As an attribute of that kind is written: "seq(f32)".
Result<std::string> OnnxTypeText(const OnnxType& type);

}  // namespace ferry::formats
