// Products: by rows for short numbers, Karatsuba for long ones.
#include <algorithm>
#include <cstring>

#include "device-runtime/vm/number/limbs.h"

namespace ferry::vm {
namespace {

using Wide = unsigned __int128;
constexpr size_t kKaratsubaLimbs = 32;

void MulRows(Limb* out, const Limb* a, size_t n, const Limb* b, size_t m) {
  std::memset(out, 0, (n + m) * sizeof(Limb));
  for (size_t k = 0; k < m; ++k) {
    Limb carry = 0;
    const Limb factor = b[k];
    for (size_t i = 0; i < n; ++i) {
      const Wide sum = static_cast<Wide>(a[i]) * factor + out[i + k] + carry;
      out[i + k] = static_cast<Limb>(sum);
      carry = static_cast<Limb>(sum >> 64);
    }
    out[n + k] = carry;
  }
}

// |a - b| of n limbs each; true when a < b.
bool Difference(Limb* out, const Limb* a, const Limb* b, size_t n) {
  size_t i = n;
  while (i > 0 && a[i - 1] == b[i - 1]) --i;
  const bool less = i > 0 && a[i - 1] < b[i - 1];
  SubLimbs(out, less ? b : a, n, less ? a : b, n);
  return less;
}

void AddAt(Limb* out, const Limb* a, size_t n) {
  Limb carry = AddLimbs(out, out, n, a, n);
  for (size_t i = n; carry != 0; ++i) carry = ++out[i] == 0;
}

// Equal sizes. With a = a1 B + a0 and b likewise: a0 b0 + a1 b1 - (a1 - a0)(b1 - b0) in the middle.
// `scratch` holds 4 (n + 64) limbs.
void MulEqual(Limb* out, const Limb* a, const Limb* b, size_t n, Limb* scratch) {
  if (n < kKaratsubaLimbs) return MulRows(out, a, n, b, n);
  if (n % 2 != 0) {  // the last row and column by hand
    MulEqual(out, a, b, n - 1, scratch);
    out[2 * n - 2] = out[2 * n - 1] = 0;
    Limb* row = scratch;
    std::memcpy(row, a, (n - 1) * sizeof(Limb));
    row[n - 1] = MulAddSmall(row, n - 1, b[n - 1], 0);
    AddAt(out + n - 1, row, n);
    std::memcpy(row, b, n * sizeof(Limb));
    row[n] = MulAddSmall(row, n, a[n - 1], 0);
    AddAt(out + n - 1, row, n + 1);
    return;
  }
  const size_t half = n / 2;
  Limb *middle = scratch, *rest = scratch + 2 * half;
  const bool x = Difference(out, a + half, a, half);
  const bool y = Difference(out + half, b + half, b, half);
  MulEqual(middle, out, out + half, half, rest);
  MulEqual(out, a, b, half, rest);
  MulEqual(out + n, a + half, b + half, half, rest);
  // middle = low + high -+ middle, n limbs and a carry
  Limb* sum = rest;
  Limb carry = AddLimbs(sum, out, n, out + n, n);
  if (x == y) {
    carry -= SubLimbs(sum, sum, n, middle, n);
  } else {
    carry += AddLimbs(sum, sum, n, middle, n);
  }
  sum[n] = carry;
  Limb over = AddLimbs(out + half, out + half, n, sum, n);
  over += carry;
  for (size_t i = half + n; over != 0 && i < 2 * n; ++i) {
    out[i] += over;
    over = out[i] < over;
  }
}

}  // namespace

size_t MulScratch(size_t n, size_t m) {
  const size_t small = std::min(n, m);
  if (small < kKaratsubaLimbs) return 0;
  // A last piece that is shorter multiplies again inside.
  return 6 * (small + 64) + (std::max(n, m) % small == 0 ? 0 : 6 * small);
}

int64_t MulWork(size_t n, size_t m) {
  const size_t small = std::min(n, m), large = std::max(n, m);
  size_t pieces = 1, size = small;
  for (; size >= 2 * kKaratsubaLimbs; size /= 2) pieces *= 3;
  const size_t blocks = small == 0 ? 0 : (large + small - 1) / small;
  return static_cast<int64_t>(blocks * pieces * size * size);
}

void MulLimbs(Limb* out, const Limb* a, size_t n, const Limb* b, size_t m, Limb* scratch) {
  if (n < m) return MulLimbs(out, b, m, a, n, scratch);
  if (m < kKaratsubaLimbs) return MulRows(out, a, n, b, m);
  Limb* product = scratch;
  Limb* rest = scratch + 2 * m;
  std::memset(out, 0, (n + m) * sizeof(Limb));
  size_t at = 0;
  for (; at + m <= n; at += m) {
    MulEqual(product, a + at, b, m, rest);
    const Limb carry = AddLimbs(out + at, out + at, 2 * m, product, 2 * m);
    if (carry != 0 && at + 2 * m < n + m) out[at + 2 * m] += carry;
  }
  if (at == n) return;
  // A piece shorter than b.
  const size_t left = n - at;
  MulLimbs(product, b, m, a + at, left, rest);
  AddLimbs(out + at, out + at, left + m, product, left + m);
}

}  // namespace ferry::vm
