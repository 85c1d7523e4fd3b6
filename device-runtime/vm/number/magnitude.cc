#include "device-runtime/vm/number/magnitude.h"

#include <algorithm>
#include <bit>

namespace ferry::vm {

void Trim(Magnitude* m) {
  while (!m->empty() && m->back() == 0) m->pop_back();
}

int CompareMagnitudes(const Magnitude& a, const Magnitude& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (size_t i = a.size(); i-- > 0;)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

Magnitude AddMagnitudes(const Magnitude& a, const Magnitude& b) {
  const Magnitude& longer = a.size() >= b.size() ? a : b;
  const Magnitude& shorter = a.size() >= b.size() ? b : a;
  Magnitude out;
  out.reserve(longer.size() + 1);
  uint64_t carry = 0;
  for (size_t i = 0; i < longer.size(); ++i) {
    carry += longer[i] + static_cast<uint64_t>(i < shorter.size() ? shorter[i] : 0);
    out.push_back(static_cast<uint32_t>(carry));
    carry >>= 32;
  }
  if (carry != 0) out.push_back(static_cast<uint32_t>(carry));
  return out;
}

Magnitude SubMagnitudes(const Magnitude& a, const Magnitude& b) {
  Magnitude out = a;
  int64_t borrow = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t d = static_cast<int64_t>(out[i]) - borrow - (i < b.size() ? b[i] : 0);
    borrow = d < 0;
    if (d < 0) d += int64_t{1} << 32;
    out[i] = static_cast<uint32_t>(d);
  }
  Trim(&out);
  return out;
}

Magnitude MulMagnitudes(const Magnitude& a, const Magnitude& b) {
  Magnitude out(a.size() + b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    uint64_t carry = 0;
    for (size_t k = 0; k < b.size(); ++k) {
      carry += static_cast<uint64_t>(a[i]) * b[k] + out[i + k];
      out[i + k] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    out[i + b.size()] = static_cast<uint32_t>(carry);
  }
  Trim(&out);
  return out;
}

void MulAddSmall(Magnitude* m, uint32_t factor, uint32_t term) {
  uint64_t carry = term;
  for (uint32_t& limb : *m) {
    carry += static_cast<uint64_t>(limb) * factor;
    limb = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0) m->push_back(static_cast<uint32_t>(carry));
}

uint32_t DivSmall(Magnitude* m, uint32_t divisor) {
  uint64_t rest = 0;
  for (size_t i = m->size(); i-- > 0;) {
    rest = rest << 32 | (*m)[i];
    (*m)[i] = static_cast<uint32_t>(rest / divisor);
    rest %= divisor;
  }
  Trim(m);
  return static_cast<uint32_t>(rest);
}

size_t BitLength(const Magnitude& m) {
  return m.empty() ? 0 : m.size() * 32 - static_cast<size_t>(std::countl_zero(m.back()));
}

Magnitude ShiftLeft(const Magnitude& a, size_t bits) {
  Magnitude out(bits / 32, 0);
  const unsigned part = bits % 32;
  uint32_t carry = 0;
  for (uint32_t limb : a) {
    out.push_back(part == 0 ? limb : limb << part | carry);
    carry = part == 0 ? 0 : limb >> (32 - part);
  }
  if (carry != 0) out.push_back(carry);
  Trim(&out);
  return out;
}

Magnitude ShiftRight(const Magnitude& a, size_t bits, bool* lost) {
  const size_t whole = bits / 32;
  const unsigned part = bits % 32;
  *lost = false;
  for (size_t i = 0; i < std::min(whole, a.size()); ++i) *lost = *lost || a[i] != 0;
  Magnitude out;
  for (size_t i = whole; i < a.size(); ++i) {
    const uint32_t high = i + 1 < a.size() ? a[i + 1] : 0;
    out.push_back(part == 0 ? a[i] : a[i] >> part | high << (32 - part));
  }
  if (part != 0 && whole < a.size() && (a[whole] & ((1u << part) - 1)) != 0) *lost = true;
  Trim(&out);
  return out;
}

// Algorithm D.
void DivModMagnitudes(const Magnitude& a, const Magnitude& b, Magnitude* quotient,
                      Magnitude* remainder) {
  if (CompareMagnitudes(a, b) < 0) {
    quotient->clear();
    *remainder = a;
    return;
  }
  if (b.size() == 1) {
    *quotient = a;
    const uint32_t rest = DivSmall(quotient, b[0]);
    remainder->clear();
    if (rest != 0) remainder->push_back(rest);
    return;
  }
  const auto shift = static_cast<unsigned>(std::countl_zero(b.back()));
  const Magnitude v = ShiftLeft(b, shift);
  Magnitude u = ShiftLeft(a, shift);
  u.resize(a.size() + 1);
  const size_t n = v.size(), m = u.size() - n - 1;
  quotient->assign(m + 1, 0);
  for (size_t j = m + 1; j-- > 0;) {
    const uint64_t top = static_cast<uint64_t>(u[j + n]) << 32 | u[j + n - 1];
    uint64_t guess = top / v[n - 1], rest = top % v[n - 1];
    while (guess >> 32 != 0 || guess * v[n - 2] > (rest << 32 | u[j + n - 2])) {
      --guess;
      rest += v[n - 1];
      if (rest >> 32 != 0) break;
    }
    int64_t borrow = 0;
    uint64_t carry = 0;
    for (size_t i = 0; i < n; ++i) {
      carry += guess * v[i];
      const int64_t d =
          static_cast<int64_t>(u[i + j]) - borrow - static_cast<int64_t>(carry & 0xFFFFFFFFu);
      u[i + j] = static_cast<uint32_t>(d);
      borrow = d < 0;
      carry >>= 32;
    }
    const int64_t d = static_cast<int64_t>(u[j + n]) - borrow - static_cast<int64_t>(carry);
    u[j + n] = static_cast<uint32_t>(d);
    if (d < 0) {
      --guess;
      uint64_t add = 0;
      for (size_t i = 0; i < n; ++i) {
        add += static_cast<uint64_t>(u[i + j]) + v[i];
        u[i + j] = static_cast<uint32_t>(add);
        add >>= 32;
      }
      u[j + n] += static_cast<uint32_t>(add);
    }
    (*quotient)[j] = static_cast<uint32_t>(guess);
  }
  Trim(quotient);
  u.resize(n);
  Trim(&u);
  bool lost;
  *remainder = ShiftRight(u, shift, &lost);
}

}  // namespace ferry::vm
