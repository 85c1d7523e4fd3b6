// The quick way of SHA-256 against the one that every machine goes.
#include <gtest/gtest.h>

#include <random>

#include "device-runtime/vm/lib/modules/_hashlib/digest.h"

namespace ferry::vm {
namespace {

void Compare(bool (*take_quick)(Digest*, const uint8_t*), void (*take)(Digest*, const uint8_t*)) {
  std::mt19937_64 random(20);
  for (int turn = 0; turn < 2000; ++turn) {
    Digest plain{}, quick{};
    uint8_t block[64];
    for (uint8_t& byte : block) byte = static_cast<uint8_t>(random());
    for (size_t i = 0; i < 8; ++i) plain.words[i] = quick.words[i] = random() & 0xFFFFFFFF;
    if (!take_quick(&quick, block)) GTEST_SKIP() << "not on this machine";
    take(&plain, block);
    for (size_t i = 0; i < 8; ++i) ASSERT_EQ(plain.words[i], quick.words[i]) << turn;
  }
}

TEST(Digest, QuickSha1IsSha1) {
  Compare(TakeSha1Quick, TakeSha1Plain);
}

TEST(Digest, QuickSha256IsSha256) {
  Compare(TakeSha256Quick, TakeSha256Plain);
}

}  // namespace
}  // namespace ferry::vm
