// The quick way of SHA-256 against the one that every machine goes.
#include <gtest/gtest.h>

#include <random>

#include "device-runtime/vm/lib/module/_hashlib/digest.h"

namespace ferry::vm {
namespace {

TEST(Digest, QuickSha256IsSha256) {
  std::mt19937_64 random(20);
  for (int turn = 0; turn < 2000; ++turn) {
    Digest plain{}, quick{};
    uint8_t block[64];
    for (uint8_t& byte : block) byte = static_cast<uint8_t>(random());
    for (size_t i = 0; i < 8; ++i) plain.words[i] = quick.words[i] = random() & 0xFFFFFFFF;
    if (!TakeSha256Quick(&quick, block)) GTEST_SKIP() << "not on this machine";
    TakeSha256Plain(&plain, block);
    for (size_t i = 0; i < 8; ++i) ASSERT_EQ(plain.words[i], quick.words[i]) << turn;
  }
}

}  // namespace
}  // namespace ferry::vm
