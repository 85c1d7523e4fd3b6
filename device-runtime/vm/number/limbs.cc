#include "device-runtime/vm/number/limbs.h"

#include <bit>

namespace ferry::vm {

using Wide = unsigned __int128;

// high:low / divisor, which high is below; the compiler would call a function for it.
static inline Limb DivWide(Limb high, Limb low, Limb divisor, Limb* rest) {
#if defined(__x86_64__)
  Limb quotient;
  asm("divq %4" : "=a"(quotient), "=d"(*rest) : "0"(low), "1"(high), "r"(divisor) : "cc");
  return quotient;
#else
  const Wide value = static_cast<Wide>(high) << 64 | low;
  const auto quotient = static_cast<Limb>(value / divisor);
  *rest = low - quotient * divisor;
  return quotient;
#endif
}

size_t TrimmedSize(const Limb* a, size_t n) {
  while (n > 0 && a[n - 1] == 0) --n;
  return n;
}

int CompareLimbs(const Limb* a, size_t n, const Limb* b, size_t m) {
  if (n != m) return n < m ? -1 : 1;
  for (size_t i = n; i-- > 0;)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

Limb AddLimbs(Limb* out, const Limb* a, size_t n, const Limb* b, size_t m) {
  Limb carry = 0;
  size_t i = 0;
  for (; i < m; ++i) {
    const Wide sum = static_cast<Wide>(a[i]) + b[i] + carry;
    out[i] = static_cast<Limb>(sum);
    carry = static_cast<Limb>(sum >> 64);
  }
  for (; i < n && carry != 0; ++i) {
    out[i] = a[i] + carry;
    carry = out[i] < carry;
  }
  if (out != a)
    for (; i < n; ++i) out[i] = a[i];
  return carry;
}

Limb SubLimbs(Limb* out, const Limb* a, size_t n, const Limb* b, size_t m) {
  Limb borrow = 0;
  size_t i = 0;
  for (; i < m; ++i) {
    const Wide difference = static_cast<Wide>(a[i]) - b[i] - borrow;
    out[i] = static_cast<Limb>(difference);
    borrow = static_cast<Limb>(difference >> 64) & 1;
  }
  for (; i < n; ++i) {
    const Limb before = a[i];
    out[i] = before - borrow;
    borrow = before < borrow;
  }
  return borrow;
}

Limb MulAddSmall(Limb* a, size_t n, Limb factor, Limb term) {
  for (size_t i = 0; i < n; ++i) {
    const Wide product = static_cast<Wide>(a[i]) * factor + term;
    a[i] = static_cast<Limb>(product);
    term = static_cast<Limb>(product >> 64);
  }
  return term;
}

Limb DivSmall(Limb* a, size_t n, Limb divisor) {
  Limb rest = 0;
  if (divisor >> 32 == 0) {  // by halves: the machine divides 64 bits quickly
    for (size_t i = n; i-- > 0;) {
      const Limb high = rest << 32 | a[i] >> 32;
      const Limb low = (high % divisor) << 32 | (a[i] & 0xFFFFFFFF);
      a[i] = (high / divisor) << 32 | low / divisor;
      rest = low % divisor;
    }
    return rest;
  }
  for (size_t i = n; i-- > 0;) a[i] = DivWide(rest, a[i], divisor, &rest);
  return rest;
}

size_t BitLength(const Limb* a, size_t n) {
  return n == 0 ? 0 : n * 64 - static_cast<size_t>(std::countl_zero(a[n - 1]));
}

void ShiftUp(Limb* out, const Limb* a, size_t n, unsigned bits) {
  Limb above = 0;
  if (bits == 0) {
    for (size_t i = n; i-- > 0;) out[i] = a[i];
    out[n] = 0;
    return;
  }
  for (size_t i = n; i-- > 0;) {
    const Limb limb = a[i];
    const Limb high = limb >> (64 - bits);
    out[i + 1] = i + 1 == n ? high : above | high;
    above = limb << bits;
  }
  out[0] = above;
}

void ShiftDown(Limb* out, const Limb* a, size_t n, unsigned bits) {
  for (size_t i = 0; i < n; ++i) {
    const Limb high = i + 1 < n && bits != 0 ? a[i + 1] << (64 - bits) : 0;
    out[i] = (bits == 0 ? a[i] : a[i] >> bits) | high;
  }
}

// Algorithm D.
void DivLimbs(Limb* q, Limb* u, size_t n, const Limb* v, size_t m) {
  const Limb first = v[m - 1], second = v[m - 2];
  for (size_t j = n - m + 1; j-- > 0;) {
    const Wide top = static_cast<Wide>(u[j + m]) << 64 | u[j + m - 1];
    // At most one limb: u[j + m] <= first.
    Wide guess, rest;
    if (u[j + m] == first) {
      guess = ~Limb{0};
      rest = top - guess * first;
    } else {
      Limb left;
      guess = DivWide(u[j + m], u[j + m - 1], first, &left);
      rest = left;
    }
    while (rest >> 64 == 0 && guess * second > (rest << 64 | u[j + m - 2])) {
      --guess;
      rest += first;
    }
    const Limb digit = static_cast<Limb>(guess);
    Limb borrow = 0, carry = 0;
    for (size_t i = 0; i < m; ++i) {
      const Wide product = static_cast<Wide>(digit) * v[i] + carry;
      carry = static_cast<Limb>(product >> 64);
      const Wide difference = static_cast<Wide>(u[i + j]) - static_cast<Limb>(product) - borrow;
      u[i + j] = static_cast<Limb>(difference);
      borrow = static_cast<Limb>(difference >> 64) & 1;
    }
    const Wide difference = static_cast<Wide>(u[j + m]) - carry - borrow;
    u[j + m] = static_cast<Limb>(difference);
    q[j] = digit;
    if ((difference >> 64) != 0) {
      --q[j];
      u[j + m] += AddLimbs(u + j, u + j, m, v, m);
    }
  }
}

}  // namespace ferry::vm
