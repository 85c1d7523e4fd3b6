// Writer of ONNX models: the way back from ir::Graph, so that what Ferry makes of a model
// (quantised graphs above all) runs in other engines. Source: the ONNX specification's IR document.
#pragma once

#include <limits>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "device-runtime/ir/graph.h"

namespace ferry::formats {

struct OnnxWriteOptions {
  // The opset of the default domain; 0: the newest that a node follows. Older nodes are rewritten
  // by UpgradeOpset.
  int opset = 0;
  // Files above this keep their large tensors in a file of their own, beside the model
  // ("NAME.data"); WriteOnnx refuses them. Protobuf's own limit.
  uint64_t single_file_limit = std::numeric_limits<int32_t>::max();
};

// A ModelProto. Importing it gives the graph again: the same text but for the order of constants.
// kUnsupported names a node that only Ferry knows (Silu, a Conv with its activation inside) or that
// cannot follow the opset; kLimitExceeded for more bytes than one file may have.
Result<Bytes> WriteOnnx(const ir::Graph& graph, const OnnxWriteOptions& options = {});

// Writes a model file, replacing `path` in one step, with "NAME.data" beside it where one file is
// not enough.
Status WriteOnnxFile(sys::FileSystem& fs, const std::string& path, const ir::Graph& graph,
                     const OnnxWriteOptions& options = {});

// Makes all nodes of the default domain (bodies included) follow `opset` instead of an older one.
// Newer nodes are left alone. kUnsupported names the node whose meaning a later opset cannot say.
Status UpgradeOpset(ir::Graph& graph, int opset);

}  // namespace ferry::formats
