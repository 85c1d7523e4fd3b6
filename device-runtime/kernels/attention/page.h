// Pages of the paged KV cache: what one layer keeps of kPagePositions positions, as kernels of
// every instruction set read it. A position's numbers have scales of their own, so that its bits
// never change once it is stored.
#pragma once

#include <cstdint>

namespace ferry::kernels {

inline constexpr int64_t kPagePositions = 16;  // positions that one page of a KV cache holds

// kQ8: a scale a head and position; kQ4: a scale and the least number.
enum class KvType : uint8_t { kF32, kF16, kQ8, kQ4 };

// Keys or values of a layer in a page: numbers head by head, and behind them for each head the
// scales [kPagePositions] in float32, for kQ4 then the least numbers [kPagePositions].
//
// Numbers of a head, `turned`: [dim][kPagePositions], which products with keys read; a byte of kQ4
// has the elements 2 i (low) and 2 i + 1 of a position. Else [kPagePositions][dim], which sums of
// values read; byte i of a row of kQ4 has the elements i (low) and i + half the row.
struct KvPart {
  KvType type = KvType::kF32;
  bool turned = false;
  int64_t heads = 0;
  int64_t dim = 0;
  int64_t begin = 0;  // bytes from the beginning of the layer's part of the page

  int64_t HeadBytes() const;       // numbers of one head
  int64_t ParameterBytes() const;  // scales and least numbers of one head
  int64_t Bytes() const { return heads * (HeadBytes() + ParameterBytes()); }
  int64_t HeadAt(int64_t head) const { return begin + head * HeadBytes(); }
  int64_t ParametersAt(int64_t head) const {
    return begin + heads * HeadBytes() + head * ParameterBytes();
  }
};

struct KvLayout {
  KvPart keys;
  KvPart values;  // dim 0: values are the first numbers of keys, which are not turned
  // kQ4: keys and values are spread over so many numbers (Spread) before they are stored, queries
  // too, and results afterwards: a few large numbers would take all levels. Else 0.
  int64_t spread = 0;
  int64_t bytes = 0;
};

// kF32 where keys or values of a head have more than kMaxNarrowDims numbers.
KvLayout LayKvPage(KvType type, int64_t heads, int64_t key_dim, int64_t value_dim);
// Numbers of a position (keys or values of a head) that kernels widen from other types than kF32.
inline constexpr int64_t kMaxNarrowDims = 512;

// The orthonormal Walsh-Hadamard transform of each `block` (a power of two that divides `count`) of
// numbers, in place. It is its own inverse and leaves products of vectors as they were. Source of
// its use before rounding: Ashkboos et al., "QuaRot" (2024).
void Spread(int64_t block, int64_t count, float* x);

// The `dim` numbers of x become those of `head` at `slot` (a position's place in the page).
// `layer` is where the layer's part of the page begins.
void StoreKv(const KvPart& part, int64_t head, int64_t slot, const float* x, uint8_t* layer);
// What is kept of them, to `out`.
void ReadKv(const KvPart& part, int64_t head, int64_t slot, const uint8_t* layer, float* out);

}  // namespace ferry::kernels
