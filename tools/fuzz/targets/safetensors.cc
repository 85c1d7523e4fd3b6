#include "device-runtime/formats/safetensors.h"

#include "common/base/check.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

void RunSafetensors(ByteView bytes) {
  auto file = formats::Safetensors::Read(bytes, "fuzz");
  if (!file.ok()) return;
  for (const formats::SafetensorsTensor& tensor : file->tensors()) {
    CHECK(tensor.bytes.empty() ||
          (tensor.bytes.data() >= bytes.data() &&
           tensor.bytes.data() + tensor.bytes.size() <= bytes.data() + bytes.size()));
  }
}

std::vector<Bytes> SafetensorsSeeds() {
  const std::string header =
      R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"BF16","shape":[1,1],)"
      R"("data_offsets":[8,10]}})";
  Bytes seed(8);
  PutU64(seed.data(), header.size());
  seed.insert(seed.end(), header.begin(), header.end());
  seed.resize(seed.size() + 10);
  return {seed};
}

}  // namespace

const Target kSafetensorsTarget = {"safetensors", RunSafetensors, SafetensorsSeeds};

}  // namespace ferry::fuzz
