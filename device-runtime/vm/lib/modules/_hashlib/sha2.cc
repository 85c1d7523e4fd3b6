// MD5, SHA-1 and SHA-2: blocks of words, the length at the end.
#include <bit>
#include <cstring>

#include "device-runtime/vm/lib/modules/_hashlib/constants.h"
#include "device-runtime/vm/lib/modules/_hashlib/digest.h"

namespace ferry::vm {
namespace {

template <typename Word>
Word LoadBig(const uint8_t* from) {
  Word out = 0;
  for (size_t i = 0; i < sizeof(Word); ++i) out = static_cast<Word>(out << 8) | from[i];
  return out;
}
uint32_t LoadLittle(const uint8_t* from) {
  return static_cast<uint32_t>(from[0]) | static_cast<uint32_t>(from[1]) << 8 |
         static_cast<uint32_t>(from[2]) << 16 | static_cast<uint32_t>(from[3]) << 24;
}

// ---- MD5 ----

void BeginMd5(Digest* d) {
  d->words[0] = 0x67452301;
  d->words[1] = 0xEFCDAB89;
  d->words[2] = 0x98BADCFE;
  d->words[3] = 0x10325476;
  d->words[4] = 0xC3D2E1F0;  // of SHA-1
}

void TakeMd5(Digest* digest, const uint8_t* block) {
  static constexpr int kTurns[4][4] = {
      {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  uint32_t w[16];
  for (size_t i = 0; i < 16; ++i) w[i] = LoadLittle(block + 4 * i);
  auto a = static_cast<uint32_t>(digest->words[0]), b = static_cast<uint32_t>(digest->words[1]);
  auto c = static_cast<uint32_t>(digest->words[2]), d = static_cast<uint32_t>(digest->words[3]);
  const auto rounds = [&](size_t turn, uint32_t step, uint32_t first, auto mix)
      __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (uint32_t i = 0; i < 16; ++i) {
      const uint32_t sum = a + mix() + kSines[16 * turn + i] + w[(step * i + first) % 16];
      a = d;
      d = c;
      c = b;
      b += std::rotl(sum, kTurns[turn][i % 4]);
    }
  };
  rounds(0, 1, 0, [&] { return (b & c) | (~b & d); });
  rounds(1, 5, 1, [&] { return (d & b) | (~d & c); });
  rounds(2, 3, 5, [&] { return b ^ c ^ d; });
  rounds(3, 7, 0, [&] { return c ^ (b | ~d); });
  const uint32_t add[] = {a, b, c, d};
  for (size_t i = 0; i < 4; ++i)
    digest->words[i] = static_cast<uint32_t>(digest->words[i] + add[i]);
}

// ---- SHA-1 ----

// The words of the schedule are made as they are used, the last sixteen are kept.
void TakeSha1Rounds(Digest* digest, const uint8_t* block) {
  uint32_t w[16];
  for (size_t i = 0; i < 16; ++i) w[i] = LoadBig<uint32_t>(block + 4 * i);
  auto a = static_cast<uint32_t>(digest->words[0]), b = static_cast<uint32_t>(digest->words[1]);
  auto c = static_cast<uint32_t>(digest->words[2]), d = static_cast<uint32_t>(digest->words[3]);
  auto e = static_cast<uint32_t>(digest->words[4]);
  const auto rounds = [&](size_t from, uint32_t constant, auto mix) __attribute__((always_inline)) {
    for (size_t i = from; i < from + 20; ++i) {
      uint32_t& word = w[i % 16];
      if (i >= 16) word = std::rotl(w[(i + 13) % 16] ^ w[(i + 8) % 16] ^ w[(i + 2) % 16] ^ word, 1);
      const uint32_t sum = std::rotl(a, 5) + mix() + e + constant + word;
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = sum;
    }
  };
  rounds(0, 0x5A827999, [&] { return d ^ (b & (c ^ d)); });
  rounds(20, 0x6ED9EBA1, [&] { return b ^ c ^ d; });
  rounds(40, 0x8F1BBCDC, [&] { return (b & c) + (d & (b ^ c)); });
  rounds(60, 0xCA62C1D6, [&] { return b ^ c ^ d; });
  const uint32_t add[] = {a, b, c, d, e};
  for (size_t i = 0; i < 5; ++i)
    digest->words[i] = static_cast<uint32_t>(digest->words[i] + add[i]);
}

void TakeSha1(Digest* digest, const uint8_t* block) {
  if (!TakeSha1Quick(digest, block)) TakeSha1Rounds(digest, block);
}

// ---- SHA-2 ----

template <typename Word>
void TakeSha2(Digest* digest, const uint8_t* block) {
  constexpr bool kWide = sizeof(Word) == 8;
  constexpr size_t kRounds = kWide ? 80 : 64;
  const auto mix = [](Word x, int p, int q, int r) {
    return std::rotr(x, p) ^ std::rotr(x, q) ^ std::rotr(x, r);
  };
  Word w[kRounds];
  for (size_t i = 0; i < 16; ++i) w[i] = LoadBig<Word>(block + sizeof(Word) * i);
  for (size_t i = 16; i < kRounds; ++i) {
    const Word x = w[i - 15], y = w[i - 2];
    const Word low = kWide ? std::rotr(x, 1) ^ std::rotr(x, 8) ^ x >> 7
                           : std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3;
    const Word high = kWide ? std::rotr(y, 19) ^ std::rotr(y, 61) ^ y >> 6
                            : std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10;
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  Word v[8];
  for (size_t i = 0; i < 8; ++i) v[i] = static_cast<Word>(digest->words[i]);
  auto& [a, b, c, d, e, f, g, h] = v;
  const auto round = [&](Word p, Word q, Word r, Word & s, Word t, Word u, Word x, Word & y,
                         size_t i) __attribute__((always_inline)) {
    const auto constant = static_cast<Word>(kWide ? kCubeRoots[i] : kCubeRoots[i] >> 32);
    y += (kWide ? mix(t, 14, 18, 41) : mix(t, 6, 11, 25)) + (x ^ (t & (u ^ x))) + constant + w[i];
    s += y;
    y += (kWide ? mix(p, 28, 34, 39) : mix(p, 2, 13, 22)) + ((p & q) | (r & (p | q)));
  };
  for (size_t i = 0; i < kRounds; i += 8) {  // the names change places, not the values
    round(a, b, c, d, e, f, g, h, i);
    round(h, a, b, c, d, e, f, g, i + 1);
    round(g, h, a, b, c, d, e, f, i + 2);
    round(f, g, h, a, b, c, d, e, i + 3);
    round(e, f, g, h, a, b, c, d, i + 4);
    round(d, e, f, g, h, a, b, c, i + 5);
    round(c, d, e, f, g, h, a, b, i + 6);
    round(b, c, d, e, f, g, h, a, i + 7);
  }
  for (size_t i = 0; i < 8; ++i) digest->words[i] = static_cast<Word>(digest->words[i] + v[i]);
}

void TakeSha256(Digest* digest, const uint8_t* block) {
  if (!TakeSha256Quick(digest, block)) TakeSha256Plain(digest, block);
}

enum class Start { k224, k256, k384, k512 };
template <Start kStart>
void BeginSha2(Digest* d) {
  for (size_t i = 0; i < 8; ++i) {
    const uint64_t root = kSquareRoots[kStart == Start::k224 || kStart == Start::k384 ? i + 8 : i];
    d->words[i] = kStart == Start::k224   ? root & 0xFFFFFFFF
                  : kStart == Start::k256 ? root >> 32
                                          : root;
  }
}

// A one, zeros, the length in bits; then the words.
template <typename Word, size_t kBlock, bool kBig>
void Finish(Digest* d, uint8_t* out, size_t size) {
  constexpr size_t kLengthBytes = kBlock / 8;
  const auto take = HashKindAt(d->kind).take;
  d->buffer[d->buffered++] = 0x80;
  if (d->buffered > kBlock - kLengthBytes) {
    std::memset(d->buffer + d->buffered, 0, kBlock - d->buffered);
    take(d, d->buffer);
    d->buffered = 0;
  }
  std::memset(d->buffer + d->buffered, 0, kBlock - d->buffered);
  for (size_t i = 0; i < 8; ++i)
    d->buffer[kBig ? kBlock - 1 - i : kBlock - 8 + i] =
        static_cast<uint8_t>(d->length << 3 >> (8 * i));
  take(d, d->buffer);
  for (size_t i = 0; i < size; ++i) {
    const size_t byte = i % sizeof(Word);
    out[i] = static_cast<uint8_t>(d->words[i / sizeof(Word)] >>
                                  8 * (kBig ? sizeof(Word) - 1 - byte : byte));
  }
}

}  // namespace

void TakeSha1Plain(Digest* digest, const uint8_t* block) {
  TakeSha1Rounds(digest, block);
}
void TakeSha256Plain(Digest* digest, const uint8_t* block) {
  TakeSha2<uint32_t>(digest, block);
}

const HashKind kMd5 = {"md5", 16, 64, BeginMd5, TakeMd5, Finish<uint32_t, 64, false>, 8};
const HashKind kSha1 = {"sha1", 20, 64, BeginMd5, TakeSha1, Finish<uint32_t, 64, true>, 8};
const HashKind kSha224 = {
    "sha224", 28, 64, BeginSha2<Start::k224>, TakeSha256, Finish<uint32_t, 64, true>, 12};
const HashKind kSha256 = {
    "sha256", 32, 64, BeginSha2<Start::k256>, TakeSha256, Finish<uint32_t, 64, true>, 12};
const HashKind kSha384 = {
    "sha384", 48, 128, BeginSha2<Start::k384>, TakeSha2<uint64_t>, Finish<uint64_t, 128, true>, 16};
const HashKind kSha512 = {
    "sha512", 64, 128, BeginSha2<Start::k512>, TakeSha2<uint64_t>, Finish<uint64_t, 128, true>, 16};

}  // namespace ferry::vm
