#include "device-runtime/ops/image/image.h"

#include "common/base/check.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr int64_t kImageBytes = 16 << 20;

void RunImage(ByteView bytes) {
  (void)ops::DecodeImage(bytes, std::make_shared<tensor::MemoryBudget>(kImageBytes)).ok();
}

std::vector<Bytes> ImageSeeds() {
  std::vector<Bytes> seeds = {
      ToBytes(std::string_view("P3 2 1 255 1 2 3 4 5 6\n")),
      ToBytes(std::string_view("P5 2 2 255\nabcd")),
      // A bitmap of 1 x 1, 24 bits a pixel.
      FromHex("424d3a0000000000000036000000280000000100000001000000010018000000000004000000"
              "0000000000000000000000000000000010203000")
          .value_or(Bytes{}),
  };
  for (const Bytes& seed : seeds) CHECK(ops::DecodeImage(seed, nullptr).ok());
  // A PNG of 1 x 1, grey; not every build reads it.
  seeds.push_back(
      FromHex("89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49"
              "444154789c63a8070000810080d394534a0000000049454e44ae426082")
          .value_or(Bytes{}));
  return seeds;
}

}  // namespace

const Target kImageTarget = {"image", RunImage, ImageSeeds};

}  // namespace ferry::fuzz
