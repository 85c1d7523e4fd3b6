#include <bit>
#include <cstring>

#include "device-runtime/vm/lib/modules/_hashlib/constants.h"
#include "device-runtime/vm/lib/modules/_hashlib/digest.h"

namespace ferry::vm {
namespace {

constexpr uint8_t kOrder[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
constexpr size_t kLastNode = 24;  // of Digest::words: whether this is the last of a layer

template <typename Word>
Word Start(size_t i) {
  return static_cast<Word>(sizeof(Word) == 8 ? kSquareRoots[i] : kSquareRoots[i] >> 32);
}

template <typename Word>
void Compress(Digest* d, const uint8_t* block, uint64_t length, bool last) {
  constexpr bool kWide = sizeof(Word) == 8;
  constexpr int kTurns[] = {kWide ? 32 : 16, kWide ? 24 : 12, kWide ? 16 : 8, kWide ? 63 : 7};
  Word m[16], v[16];
  std::memcpy(m, block, sizeof m);
  for (size_t i = 0; i < 8; ++i) {
    v[i] = static_cast<Word>(d->words[i]);
    v[i + 8] = Start<Word>(i);
  }
  v[12] ^= static_cast<Word>(length);
  if (!kWide) v[13] ^= static_cast<Word>(length >> 32);
  if (last) v[14] = static_cast<Word>(~v[14]);
  if (last && d->words[kLastNode] != 0) v[15] = static_cast<Word>(~v[15]);
  for (size_t round = 0; round < (kWide ? 12 : 10); ++round) {
    const uint8_t* order = kOrder[round % 10];
    for (size_t i = 0; i < 8; ++i) {
      const size_t turn = i < 4 ? 0 : 1;  // columns, then diagonals
      const size_t a = i % 4, b = 4 + (i + turn) % 4, c = 8 + (i + 2 * turn) % 4,
                   e = 12 + (i + 3 * turn) % 4;
      for (size_t half = 0; half < 2; ++half) {
        v[a] += v[b] + m[order[2 * i + half]];
        v[e] = std::rotr(static_cast<Word>(v[e] ^ v[a]), kTurns[2 * half]);
        v[c] += v[e];
        v[b] = std::rotr(static_cast<Word>(v[b] ^ v[c]), kTurns[2 * half + 1]);
      }
    }
  }
  for (size_t i = 0; i < 8; ++i) d->words[i] ^= static_cast<Word>(v[i] ^ v[i + 8]);
}

template <typename Word>
void Take(Digest* d, const uint8_t* block) {
  Compress<Word>(d, block, d->length, false);
}

template <typename Word>
void Finish(Digest* d, uint8_t* out, size_t size) {
  std::memset(d->buffer + d->buffered, 0, sizeof(Word) * 16 - d->buffered);
  Compress<Word>(d, d->buffer, d->length, true);
  for (size_t i = 0; i < size; ++i)
    out[i] = static_cast<uint8_t>(d->words[i / sizeof(Word)] >> (8 * (i % sizeof(Word))));
}

template <typename Word>
void BeginWith(Digest* d, const BlakeParameters& p) {
  constexpr bool kWide = sizeof(Word) == 8;
  uint8_t block[sizeof(Word) * 8] = {static_cast<uint8_t>(p.size), static_cast<uint8_t>(p.key),
                                     static_cast<uint8_t>(p.fanout), static_cast<uint8_t>(p.depth)};
  std::memcpy(block + 4, &p.leaf, 4);
  std::memcpy(block + 8, &p.node_offset, kWide ? 8 : 6);
  block[kWide ? 16 : 14] = static_cast<uint8_t>(p.node_depth);
  block[kWide ? 17 : 15] = static_cast<uint8_t>(p.inner);
  std::memcpy(block + sizeof block / 2, p.salt, sizeof block / 4);
  std::memcpy(block + sizeof block / 4 * 3, p.person, sizeof block / 4);
  for (size_t i = 0; i < 8; ++i) {
    Word word;
    std::memcpy(&word, block + i * sizeof(Word), sizeof word);
    d->words[i] = static_cast<Word>(Start<Word>(i) ^ word);
  }
  d->words[kLastNode] = p.last_node;
  d->size = p.size;
}

void BeginB(Digest* d) {
  BlakeParameters parameters;
  parameters.size = 64;
  BeginWith<uint64_t>(d, parameters);
}
void BeginS(Digest* d) {
  BlakeParameters parameters;
  parameters.size = 32;
  BeginWith<uint32_t>(d, parameters);
}

}  // namespace

void BeginBlake(Digest* digest, bool wide, const BlakeParameters& parameters) {
  wide ? BeginWith<uint64_t>(digest, parameters) : BeginWith<uint32_t>(digest, parameters);
}

const HashKind kBlake2b = {"blake2b", 64, 128, BeginB, Take<uint64_t>, Finish<uint64_t>, 16};
const HashKind kBlake2s = {"blake2s", 32, 64, BeginS, Take<uint32_t>, Finish<uint32_t>, 12};

}  // namespace ferry::vm
