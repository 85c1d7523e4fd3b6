// MD5, SHA-1 and SHA-2: blocks of words, the length at the end.
#include <bit>
#include <cstring>

#include "device-runtime/vm/lib/module/hashlib/constants.h"
#include "device-runtime/vm/lib/module/hashlib/digest.h"

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
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t f, at;
    switch (i / 16) {
      case 0:
        f = (b & c) | (~b & d);
        at = i;
        break;
      case 1:
        f = (d & b) | (~d & c);
        at = (5 * i + 1) % 16;
        break;
      case 2:
        f = b ^ c ^ d;
        at = (3 * i + 5) % 16;
        break;
      default:
        f = c ^ (b | ~d);
        at = 7 * i % 16;
    }
    const uint32_t turned = std::rotl(a + f + kSines[i] + w[at], kTurns[i / 16][i % 4]);
    a = d;
    d = c;
    c = b;
    b += turned;
  }
  const uint32_t add[] = {a, b, c, d};
  for (size_t i = 0; i < 4; ++i)
    digest->words[i] = static_cast<uint32_t>(digest->words[i] + add[i]);
}

// ---- SHA-1 ----

void TakeSha1(Digest* digest, const uint8_t* block) {
  uint32_t w[80];
  for (size_t i = 0; i < 16; ++i) w[i] = LoadBig<uint32_t>(block + 4 * i);
  for (size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  uint32_t v[5];
  for (size_t i = 0; i < 5; ++i) v[i] = static_cast<uint32_t>(digest->words[i]);
  for (size_t i = 0; i < 80; ++i) {
    static constexpr uint32_t kRound[] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
    const uint32_t f = i < 20   ? (v[1] & v[2]) | (~v[1] & v[3])
                       : i < 40 ? v[1] ^ v[2] ^ v[3]
                       : i < 60 ? (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])
                                : v[1] ^ v[2] ^ v[3];
    const uint32_t next = std::rotl(v[0], 5) + f + v[4] + kRound[i / 20] + w[i];
    v[4] = v[3];
    v[3] = v[2];
    v[2] = std::rotl(v[1], 30);
    v[1] = v[0];
    v[0] = next;
  }
  for (size_t i = 0; i < 5; ++i) digest->words[i] = static_cast<uint32_t>(digest->words[i] + v[i]);
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
  for (size_t i = 0; i < kRounds; ++i) {
    const auto constant = static_cast<Word>(kWide ? kCubeRoots[i] : kCubeRoots[i] >> 32);
    const Word e = kWide ? mix(v[4], 14, 18, 41) : mix(v[4], 6, 11, 25);
    const Word a = kWide ? mix(v[0], 28, 34, 39) : mix(v[0], 2, 13, 22);
    const Word first = v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + constant + w[i];
    const Word second = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    for (size_t k = 7; k > 0; --k) v[k] = v[k - 1];
    v[4] += first;
    v[0] = first + second;
  }
  for (size_t i = 0; i < 8; ++i) digest->words[i] = static_cast<Word>(digest->words[i] + v[i]);
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

const HashKind kMd5 = {"md5", 16, 64, BeginMd5, TakeMd5, Finish<uint32_t, 64, false>, 8};
const HashKind kSha1 = {"sha1", 20, 64, BeginMd5, TakeSha1, Finish<uint32_t, 64, true>, 8};
const HashKind kSha224 = {
    "sha224", 28, 64, BeginSha2<Start::k224>, TakeSha2<uint32_t>, Finish<uint32_t, 64, true>, 12};
const HashKind kSha256 = {
    "sha256", 32, 64, BeginSha2<Start::k256>, TakeSha2<uint32_t>, Finish<uint32_t, 64, true>, 12};
const HashKind kSha384 = {
    "sha384", 48, 128, BeginSha2<Start::k384>, TakeSha2<uint64_t>, Finish<uint64_t, 128, true>, 16};
const HashKind kSha512 = {
    "sha512", 64, 128, BeginSha2<Start::k512>, TakeSha2<uint64_t>, Finish<uint64_t, 128, true>, 16};

}  // namespace ferry::vm
