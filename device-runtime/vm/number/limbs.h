// Natural numbers of any size as limbs of 64 bits, least significant first. Functions write to
// memory that the caller gives, so that its size can be charged to an isolate first. Source: Knuth,
// The Art of Computer Programming 2, 4.3.1 and 4.3.3 (Karatsuba).
#pragma once

#include <cstddef>
#include <cstdint>

namespace ferry::vm {

using Limb = uint64_t;
inline constexpr size_t kLimbBits = 64;

// The size without leading zeros.
size_t TrimmedSize(const Limb* a, size_t n);
// -1, 0, 1; both sizes trimmed.
int CompareLimbs(const Limb* a, size_t n, const Limb* b, size_t m);
// out[0..n) = a + b, n >= m; the carry. out may be a or b.
Limb AddLimbs(Limb* out, const Limb* a, size_t n, const Limb* b, size_t m);
// out[0..n) = a - b, a >= b; the borrow (0 when it is so). out may be a or b.
Limb SubLimbs(Limb* out, const Limb* a, size_t n, const Limb* b, size_t m);

// ---- multiply.cc ----
// out[0..n+m) = a * b; out is neither. `scratch` holds MulScratch(n, m) limbs.
void MulLimbs(Limb* out, const Limb* a, size_t n, const Limb* b, size_t m, Limb* scratch);
size_t MulScratch(size_t n, size_t m);
// Multiplications of limbs that MulLimbs does, about.
int64_t MulWork(size_t n, size_t m);

// ---- limbs.cc ----
// a[0..n) = a * factor + term; the limb above.
Limb MulAddSmall(Limb* a, size_t n, Limb factor, Limb term);
// a[0..n) /= divisor; the remainder.
Limb DivSmall(Limb* a, size_t n, Limb divisor);
// u[0..n+1) divided by v[0..m), whose top bit is set, m >= 2, n >= m: the remainder stays in
// u[0..m), the quotient goes to q[0..n-m+1).
void DivLimbs(Limb* q, Limb* u, size_t n, const Limb* v, size_t m);
// out[0..n] = a << bits, bits < 64; out may be a.
void ShiftUp(Limb* out, const Limb* a, size_t n, unsigned bits);
// out[0..n) = a >> bits, bits < 64; out may be a.
void ShiftDown(Limb* out, const Limb* a, size_t n, unsigned bits);
size_t BitLength(const Limb* a, size_t n);  // n trimmed

}  // namespace ferry::vm
