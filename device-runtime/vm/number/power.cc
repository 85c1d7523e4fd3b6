// Powers, also by a modulus, and inverses.
#include <algorithm>
#include <bit>
#include <cstring>

#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/operand.h"

namespace ferry::vm {
namespace {

using Wide = unsigned __int128;
constexpr int kMul = static_cast<int>(Operator::kMul);
constexpr int kMod = static_cast<int>(Operator::kMod);
constexpr int kSub = static_cast<int>(Operator::kSub);
constexpr int kAdd = static_cast<int>(Operator::kAdd);

bool Bit(const Operand& n, size_t i) {
  return (n.limbs[i / 64] >> (i % 64) & 1) != 0;
}

// Left to right; the room is known before.
Value PlainPow(Vm& vm, const Operand& base, uint64_t exponent) {
  const bool negative = base.negative && (exponent & 1) != 0;
  const Wide bits = static_cast<Wide>(base.bits()) * exponent;
  if (bits > static_cast<Wide>(kMaxBigIntLimbs) * 64) return vm.TooLarge();
  const size_t room = static_cast<size_t>(bits / 64) + 2;
  BigInt* out = NewBig(vm, room);
  if (out == nullptr) return Value();
  Scratch other(vm, room + base.size), scratch(vm, MulScratch(room / 2 + 2, room / 2 + 1));
  if (other.failed() || scratch.failed()) return Value();
  Limb *x = out->limbs, *y = other.data();
  std::memcpy(x, base.limbs, base.size * sizeof(Limb));
  size_t size = base.size;
  for (int i = std::bit_width(exponent) - 1; i-- > 0;) {
    if (!ChargeLimbs(vm, MulWork(size, size))) return Value();
    MulLimbs(y, x, size, x, size, scratch.data());
    size = TrimmedSize(y, 2 * size);
    std::swap(x, y);
    if ((exponent >> i & 1) == 0) continue;
    if (!ChargeLimbs(vm, MulWork(size, base.size))) return Value();
    Scratch more(vm, MulScratch(size, base.size));
    if (more.failed()) return Value();
    MulLimbs(y, x, size, base.limbs, base.size, more.data());
    size = TrimmedSize(y, size + base.size);
    std::swap(x, y);
  }
  if (x != out->limbs) std::memcpy(out->limbs, x, size * sizeof(Limb));
  out->size = static_cast<uint32_t>(size);
  return FinishInt(vm, out, negative);
}

Limb PowModLimb(Limb base, const Operand& exponent, Limb modulus) {
  Limb out = 1 % modulus;
  for (size_t i = exponent.bits(); i-- > 0;) {
    out = static_cast<Limb>(static_cast<Wide>(out) * out % modulus);
    if (Bit(exponent, i)) out = static_cast<Limb>(static_cast<Wide>(out) * base % modulus);
  }
  return out;
}

// Powers modulo a modulus shifted up until its top bit is set: a residue of that is one of the
// modulus, too, and every reduction divides in place.
class Residues {
 public:
  static constexpr unsigned kWindow = 4;
  Residues(Vm& vm, const Operand& modulus)
      : vm_(vm),
        n_(modulus.size),
        mul_(MulScratch(n_, n_)),
        room_(vm, n_ * ((1u << kWindow) + 2) + 2 * n_ + 2 + n_ + 2 + mul_) {
    if (room_.failed()) return;
    v_ = room_.data();
    product_ = v_ + n_;
    quotient_ = product_ + 2 * n_ + 2;
    out_ = quotient_ + n_ + 2;
    table_ = out_ + n_;
    scratch_ = table_ + (n_ << kWindow);
    const auto shift = static_cast<unsigned>(std::countl_zero(modulus.limbs[n_ - 1]));
    for (size_t i = n_; i-- > 0;)
      v_[i] = (shift == 0 ? modulus.limbs[i] : modulus.limbs[i] << shift) |
              (shift == 0 || i == 0 ? 0 : modulus.limbs[i - 1] >> (64 - shift));
  }
  bool failed() const { return v_ == nullptr; }

  // out = a b
  bool Multiply(Limb* out, const Limb* a, const Limb* b) {
    if (!ChargeLimbs(vm_, MulWork(n_, n_) + static_cast<int64_t>(n_ * n_))) return false;
    MulLimbs(product_, a, n_, b, n_, scratch_);
    product_[2 * n_] = 0;
    DivLimbs(quotient_, product_, 2 * n_, v_, n_);
    std::memcpy(out, product_, n_ * sizeof(Limb));
    return true;
  }

  // base has n limbs and is less than the modulus; nullptr: reported.
  const Limb* Power(const Limb* base, const Operand& exponent) {
    std::memset(table_, 0, n_ * sizeof(Limb));
    table_[0] = 1;
    std::memcpy(table_ + n_, base, n_ * sizeof(Limb));
    for (size_t i = 2; i < 1u << kWindow; ++i)
      if (!Multiply(table_ + i * n_, table_ + (i - 1) * n_, base)) return nullptr;
    std::memcpy(out_, table_, n_ * sizeof(Limb));
    for (size_t at = (exponent.bits() + kWindow - 1) / kWindow; at-- > 0;) {
      unsigned digit = 0;
      for (unsigned k = kWindow; k-- > 0;) {
        if (!Multiply(out_, out_, out_)) return nullptr;
        const size_t bit = at * kWindow + k;
        digit = digit << 1 | (bit < exponent.size * 64 && Bit(exponent, bit));
      }
      if (digit != 0 && !Multiply(out_, out_, table_ + digit * n_)) return nullptr;
    }
    return out_;
  }

 private:
  Vm& vm_;
  size_t n_, mul_;
  Scratch room_;
  Limb *v_ = nullptr, *product_, *quotient_, *out_, *table_, *scratch_;
};

// The inverse of a modulo m by Euclid's algorithm with cofactors; empty: none, reported.
Value Inverse(Vm& vm, Value a, Value m) {
  Value r0 = m, r1 = a, t0 = Value::SmallInt(0), t1 = Value::SmallInt(1);
  while (IntSign(r1) != 0) {
    Value q, r;
    if (!IntDivMod(vm, r0, r1, &q, &r, "")) return Value();
    Value product = IntBinary(vm, kMul, q, t1);
    Value t = product.empty() ? product : IntBinary(vm, kSub, t0, product);
    if (t.empty()) return t;
    r0 = r1;
    r1 = r;
    t0 = t1;
    t1 = t;
  }
  if (IntCompare(r0, Value::SmallInt(1)) != 0)
    return vm.Raise(Error::kValueError, "base is not invertible for the given modulus");
  return IntBinary(vm, kMod, t0, m);
}

Value ModularPow(Vm& vm, Value base, Value exponent, Value modulus) {
  const bool negative = IntSign(modulus) < 0;
  Value magnitude = negative ? IntNegate(vm, modulus) : modulus;
  if (magnitude.empty()) return magnitude;
  base = IntBinary(vm, kMod, base, magnitude);
  if (base.empty()) return base;
  if (IntSign(exponent) < 0) {
    exponent = IntNegate(vm, exponent);
    if (exponent.empty()) return exponent;
    base = Inverse(vm, base, magnitude);
    if (base.empty()) return base;
  }
  const Operand m(magnitude), b(base), e(exponent);
  Value out;
  if (m.size == 1) {
    if (!vm.ChargeSteps(static_cast<int64_t>(e.bits() / 4))) return Value();
    const Limb limb = PowModLimb(b.zero() ? 0 : b.limbs[0], e, m.limbs[0]);
    out = IntOfLimbs(vm, &limb, 1, false);
  } else {
    Residues residues(vm, m);
    if (residues.failed()) return Value();
    Scratch padded(vm, m.size);
    if (padded.failed()) return Value();
    std::memset(padded.data(), 0, m.size * sizeof(Limb));
    std::memcpy(padded.data(), b.limbs, b.size * sizeof(Limb));
    const Limb* power = residues.Power(padded.data(), e);
    if (power == nullptr) return Value();
    out = IntOfLimbs(vm, power, m.size, false);
    if (!out.empty()) out = IntBinary(vm, kMod, out, magnitude);
  }
  if (!out.empty() && negative && IntSign(out) != 0) out = IntBinary(vm, kAdd, out, modulus);
  return out;
}

}  // namespace

Value IntPow(Vm& vm, Value base, Value exponent, Value modulus) {
  if (!modulus.empty()) {
    if (IntSign(modulus) == 0)
      return vm.Raise(Error::kValueError, "pow() 3rd argument cannot be 0");
    return ModularPow(vm, base, exponent, modulus);
  }
  const Operand b(base), e(exponent);
  if (e.zero()) return Value::SmallInt(1);
  if (b.zero()) return Value::SmallInt(0);
  const bool odd = (e.limbs[0] & 1) != 0;
  if (b.size == 1 && b.limbs[0] == 1) return Value::SmallInt(b.negative && odd ? -1 : 1);
  if (e.size > 1) return vm.TooLarge();
  if (b.size == 1 && std::has_single_bit(b.limbs[0])) {
    const Wide bits = static_cast<Wide>(b.bits() - 1) * e.limbs[0];
    if (bits > static_cast<Wide>(kMaxBigIntLimbs) * 64) return vm.TooLarge();
    return IntBinary(vm, static_cast<int>(Operator::kLeft),
                     Value::SmallInt(b.negative && odd ? -1 : 1),
                     Value::SmallInt(static_cast<int64_t>(bits)));
  }
  return PlainPow(vm, b, e.limbs[0]);
}

}  // namespace ferry::vm
