// Importer of ONNX models (opset 7 to 21 of the operators in device-runtime/ops). Source: the ONNX
// specification's IR and operator documents; the wire reader is our own.
#pragma once

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/ir/graph.h"

namespace ferry::formats {

inline constexpr size_t kMaxOnnxBytes = size_t{2} << 30;  // protobuf's own limit
inline constexpr int kMaxOnnxNodes = 100'000;

// Reads an ONNX ModelProto. The graph's tensors are copies. kBadModel names node or byte offset;
// kUnsupportedOperator names operator, domain and node; kLimitExceeded names the limit.
Result<ir::Graph> ImportOnnx(ByteView bytes);

}  // namespace ferry::formats
