// Importer of ONNX models (opsets 1 to 28 of the operators in device-runtime/ops). Source: the ONNX
// specification's IR and operator documents; the wire reader is our own.
#pragma once

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "device-runtime/ir/graph.h"

namespace ferry::formats {

inline constexpr size_t kMaxOnnxBytes = size_t{2} << 30;  // protobuf's own limit
inline constexpr int kMaxOnnxNodes = 100'000;             // with those of functions and bodies

// Reads an ONNX ModelProto. The graph's tensors are copies. kBadModel names node or byte offset, or
// what kind of file it is instead; kUnsupportedOperator and kUnsupported name all that Ferry lacks,
// with operator, domain, opset and first node; kLimitExceeded names the limit. Where `unknown` is
// given, operators that Ferry lacks are told there, and the graph is read all the same: to look at.
Result<ir::Graph> ImportOnnx(ByteView bytes, Status* unknown = nullptr);

// What becomes of large f32 tensors of a file that do not lie where their type may be read: copies,
// or views that only tensor/alignment.h's readers understand (engine::Model::FromGraph does).
enum class OnnxTensors { kAligned, kAsStored };

// Reads a model file of any size, and the files in its folder where it keeps tensors. Large tensors
// stay in the mapped files, which must not change while the graph lives. Errors as ImportOnnx's,
// with the path, and those of the file system.
Result<ir::Graph> ImportOnnxFile(sys::FileSystem& fs, const std::string& path,
                                 OnnxTensors tensors = OnnxTensors::kAligned,
                                 Status* unknown = nullptr);

}  // namespace ferry::formats
