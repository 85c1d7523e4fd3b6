#include <bit>
#include <cstring>

#include "device-runtime/vm/lib/modules/_hashlib/digest.h"

namespace ferry::vm {
namespace {

// The constant of a round: bits 2**k - 1 from a shift register of x**8 + x**6 + x**5 + x**4 + 1.
uint64_t RoundConstant(uint8_t* state) {
  uint64_t out = 0;
  for (int k = 0; k < 7; ++k) {
    if ((*state & 1) != 0) out |= uint64_t{1} << ((1 << k) - 1);
    *state = static_cast<uint8_t>(*state << 1 ^ ((*state & 0x80) != 0 ? 0x71 : 0));
  }
  return out;
}

void Permute(uint64_t* a) {
  uint8_t state = 1;
  for (int round = 0; round < 24; ++round) {
    uint64_t columns[5], turned[25];
    for (size_t x = 0; x < 5; ++x) columns[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    for (size_t i = 0; i < 25; ++i)
      a[i] ^= columns[(i + 4) % 5] ^ std::rotl(columns[(i + 1) % 5], 1);
    turned[0] = a[0];
    size_t x = 1, y = 0;
    for (int t = 0; t < 24; ++t) {
      const size_t next = (2 * x + 3 * y) % 5;
      turned[next * 5 + y] = std::rotl(a[y * 5 + x], (t + 1) * (t + 2) / 2 % 64);
      x = y;
      y = next;
    }
    for (size_t i = 0; i < 25; ++i) {
      const size_t row = i / 5 * 5;
      a[i] = turned[i] ^ (~turned[row + (i + 1) % 5] & turned[row + (i + 2) % 5]);
    }
    a[0] ^= RoundConstant(&state);
  }
}

void Begin(Digest*) {}

void Absorb(Digest* d, const uint8_t* block) {
  const uint32_t size = HashKindAt(d->kind).block;
  for (uint32_t i = 0; i < size; ++i)
    d->words[i / 8] ^= static_cast<uint64_t>(block[i]) << (8 * (i % 8));
  Permute(d->words);
}

template <uint8_t kSuffix>
void Finish(Digest* d, uint8_t* out, size_t size) {
  const uint32_t block = HashKindAt(d->kind).block;
  std::memset(d->buffer + d->buffered, 0, block - d->buffered);
  d->buffer[d->buffered] ^= kSuffix;
  d->buffer[block - 1] ^= 0x80;
  Absorb(d, d->buffer);
  for (size_t i = 0; i < size; ++i) {
    if (i > 0 && i % block == 0) Permute(d->words);
    const size_t at = i % block;
    out[i] = static_cast<uint8_t>(d->words[at / 8] >> (8 * (at % 8)));
  }
}

constexpr int64_t kSteps = 24;

}  // namespace

const HashKind kSha3_224 = {"sha3_224", 28, 144, Begin, Absorb, Finish<6>, kSteps};
const HashKind kSha3_256 = {"sha3_256", 32, 136, Begin, Absorb, Finish<6>, kSteps};
const HashKind kSha3_384 = {"sha3_384", 48, 104, Begin, Absorb, Finish<6>, kSteps};
const HashKind kSha3_512 = {"sha3_512", 64, 72, Begin, Absorb, Finish<6>, kSteps};
const HashKind kShake128 = {"shake_128", 0, 168, Begin, Absorb, Finish<31>, kSteps};
const HashKind kShake256 = {"shake_256", 0, 136, Begin, Absorb, Finish<31>, kSteps};

}  // namespace ferry::vm
