// ONNX's files of single values (TensorProto, SequenceProto, OptionalProto), as test data and
// recorded inputs have them. A file does not say which of the three it is: the model's declared
// types do. Source: the ONNX specification's IR document and onnx-data.
#pragma once

#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/ir/graph.h"
#include "device-runtime/tensor/value.h"

namespace ferry::formats {

// Optionals in sequences in optionals... end somewhere.
inline constexpr int kMaxOnnxValueDepth = 8;

// The type of an input or output as the model declares it.
struct OnnxIoType {
  std::string name;
  ir::ValueKind kind = ir::ValueKind::kTensor;
  tensor::DType dtype = tensor::DType::kF32;  // of the tensors
};
struct OnnxIoTypes {
  std::vector<OnnxIoType> inputs;  // also initializers that are listed as inputs
  std::vector<OnnxIoType> outputs;
};

// What a ModelProto declares, without importing it. kBadModel names the byte offset, kUnsupported
// the type of an input or output that is none of the kinds.
Result<OnnxIoTypes> ReadOnnxIoTypes(ByteView model);

// Reads one value of the declared type from a file's bytes. kBadModel names the byte offset,
// kUnsupported what has no tensor::Value (maps, sparse tensors).
Result<tensor::Value> ReadOnnxValue(ByteView bytes, const OnnxIoType& type);

}  // namespace ferry::formats
