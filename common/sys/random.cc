#include "common/sys/random.h"

#include <cstring>

#include "common/base/bytes.h"
#include "common/base/check.h"

namespace ferry::sys {
namespace {

uint64_t RotateLeft(uint64_t x, int by) {
  return (x << by) | (x >> (64 - by));
}

// splitmix64, as the authors of xoshiro advise for seeding.
uint64_t SplitMix(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

uint64_t Random::Next64() {
  uint8_t bytes[8];
  Fill(bytes);
  return GetU64(bytes);
}

uint64_t Random::Below(uint64_t bound) {
  CHECK(bound > 0);
  // Values under `skip` would make small results likelier.
  const uint64_t skip = (0 - bound) % bound;
  for (;;) {
    const uint64_t value = Next64();
    if (value >= skip) return value % bound;
  }
}

double Random::NextDouble() {
  return static_cast<double>(Next64() >> 11) * 0x1p-53;
}

SeededRandom::SeededRandom(uint64_t seed) {
  for (uint64_t& word : state_) word = SplitMix(seed);
}

void SeededRandom::Fill(std::span<uint8_t> out) {
  for (size_t at = 0; at < out.size();) {
    const uint64_t value = RotateLeft(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = RotateLeft(state_[3], 45);
    uint8_t bytes[8];
    PutU64(bytes, value);
    const size_t n = std::min<size_t>(8, out.size() - at);
    std::memcpy(out.data() + at, bytes, n);
    at += n;
  }
}

}  // namespace ferry::sys
