#include "common/base/check.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/model/crc64.h"
#include "device-runtime/engine/model/file.h"
#include "device-runtime/engine/model/layout.h"
#include "device-runtime/ir/text.h"
#include "tools/fuzz/target.h"
#include "tools/fuzz/use_graph.h"

namespace ferry::fuzz {
namespace {

constexpr size_t kTextSizeAt = 24;

// Makes the checksum of header and text right, or nothing would come past it.
void Seal(Bytes& file) {
  if (file.size() < engine::kHeaderBytes || GetU32(file.data() + 8) == 1) return;
  const uint64_t size = GetU64(file.data() + kTextSizeAt);
  if (size > file.size() - engine::kHeaderBytes) return;
  const uint64_t header = engine::Crc64(ByteView(file).first(engine::kCheckedHeaderBytes));
  PutU64(file.data() + engine::kCheckedHeaderBytes,
         engine::Crc64(ByteView(file).subspan(engine::kHeaderBytes, size), header));
}

void RunModelFile(ByteView bytes) {
  Bytes sealed = ToBytes(bytes);
  Seal(sealed);
  auto aligned = tensor::Buffer::Allocate(static_cast<int64_t>(sealed.size()));
  if (!aligned.ok()) return;
  std::copy(sealed.begin(), sealed.end(), aligned->data());
  auto graph = engine::ReadModelFile({aligned->data(), sealed.size()}, nullptr);
  if (!graph.ok()) return;
  CHECK(engine::WriteModelFile(*graph).ok());
  UseGraph(*std::move(graph));
}

std::vector<Bytes> ModelFileSeeds() {
  auto graph = ir::Parse(
      "graph g\ninput x f32 [n,1,2,2]\nconst w f32 [2,1,2,2] = 1 2 3 4 5 6 7 8\n"
      "const q i4 [3] = 1 -2 3\nconst t string [1] = \"a\"\nnode Conv a (x, w) -> (h)\n"
      "node Relu b (h) -> (y)\noutput y\noutput q\noutput t\n");
  CHECK(graph.ok()) << graph.status().ToString();
  return {engine::WriteModelFile(*graph).value()};
}

}  // namespace

const Target kModelFileTarget = {"model_file", RunModelFile, ModelFileSeeds};

}  // namespace ferry::fuzz
