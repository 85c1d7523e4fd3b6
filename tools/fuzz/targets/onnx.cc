#include "device-runtime/formats/onnx.h"

#include "common/base/check.h"
#include "common/sys/filesystem.h"
#include "device-runtime/ir/graph.h"
#include "tools/fuzz/target.h"
#include "tools/fuzz/use_graph.h"

namespace ferry::fuzz {
namespace {

void RunOnnx(ByteView bytes) {
  auto graph = formats::ImportOnnx(bytes);
  if (!graph.ok()) {
    CHECK(!graph.status().message().empty());
    return;
  }
  CHECK(ir::Verify(*graph).ok());
  UseGraph(*std::move(graph));
}

// y = Relu(x): ModelProto{opset_import{17}, graph{node, input, output}} in protobuf's wire form.
Bytes Small() {
  return FromHex(
             "42040a0010113a240a0c0a01781201792204"
             "52656c755a090a017812040a020801"
             "62090a017912040a020801")
      .value_or(Bytes{});
}

std::vector<Bytes> OnnxSeeds() {
  std::vector<Bytes> seeds = {Small()};
  CHECK(formats::ImportOnnx(seeds[0]).ok());
  auto digits =
      sys::ReadFile(sys::SystemFileSystem(), FERRY_SOURCE_DIR "/tasks/digits/digits.onnx");
  if (digits.ok()) seeds.push_back(*std::move(digits));
  return seeds;
}

}  // namespace

const Target kOnnxTarget = {"onnx", RunOnnx, OnnxSeeds};

}  // namespace ferry::fuzz
