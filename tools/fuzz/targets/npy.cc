#include "tools/npy/npy.h"

#include "common/base/check.h"
#include "device-runtime/ir/text.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

void RunNpy(ByteView bytes) {
  auto tensor = npy::ReadNpy(bytes);
  if (tensor.ok()) CHECK(npy::WriteNpy(*tensor).ok());
}

std::vector<Bytes> NpySeeds() {
  std::vector<Bytes> seeds;
  for (const char* text : {"f32 [2,2] = 1 2 3 4", "i64 [] = 7", "string [2] = \"a\" \"bc\""}) {
    seeds.push_back(npy::WriteNpy(ir::ParseTensor(text).value()).value());
  }
  return seeds;
}

}  // namespace

const Target kNpyTarget = {"npy", RunNpy, NpySeeds};

}  // namespace ferry::fuzz
