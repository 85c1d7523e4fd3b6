// Ints as two's complement: shifts, and, or, xor, bytes.
#include <algorithm>
#include <bit>
#include <cstring>

#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/operand.h"

namespace ferry::vm {
namespace {

// Limbs of a negative number in two's complement, one after another.
struct Complement {
  explicit Complement(const Operand& n) : n_(n), carry_(n.negative) {}
  Limb Next(size_t i) {
    const Limb limb = i < n_.size ? n_.limbs[i] : 0;
    if (!n_.negative) return limb;
    const Limb flipped = ~limb + carry_;
    carry_ = carry_ != 0 && flipped == 0;
    return flipped;
  }

 private:
  const Operand& n_;
  Limb carry_;
};

void Negate(Limb* limbs, size_t size) {
  Limb carry = 1;
  for (size_t i = 0; i < size; ++i) {
    limbs[i] = ~limbs[i] + carry;
    carry = carry != 0 && limbs[i] == 0;
  }
}

Value ShiftLeft(Vm& vm, const Operand& n, uint64_t count) {
  const size_t whole = count / 64;
  if (whole > kMaxBigIntLimbs) return vm.TooLarge();
  BigInt* out = NewBig(vm, whole + n.size + 1);
  if (out == nullptr || !ChargeLimbs(vm, static_cast<int64_t>(whole + n.size))) return Value();
  ShiftUp(out->limbs + whole, n.limbs, n.size, count % 64);
  return FinishInt(vm, out, n.negative);
}

Value ShiftRight(Vm& vm, const Operand& n, uint64_t count) {
  const size_t whole = count / 64;
  if (whole >= n.size) return Value::SmallInt(n.negative ? -1 : 0);
  BigInt* out = NewBig(vm, n.size - whole + 1);
  if (out == nullptr || !ChargeLimbs(vm, static_cast<int64_t>(n.size))) return Value();
  ShiftDown(out->limbs, n.limbs + whole, n.size - whole, count % 64);
  if (n.negative) {  // floored
    bool lost = (n.limbs[whole] & ((Limb{1} << count % 64) - 1)) != 0;
    for (size_t i = 0; i < whole && !lost; ++i) lost = n.limbs[i] != 0;
    const Limb one = 1;
    if (lost) AddLimbs(out->limbs, out->limbs, out->size, &one, 1);
  }
  return FinishInt(vm, out, n.negative);
}

}  // namespace

Value IntShift(Vm& vm, bool left, Value value, Value by) {
  int64_t i, k;
  if (SmallOf(value, &i) && SmallOf(by, &k) && k >= 0 && k < 64)
    return left ? IntOfWide(vm, static_cast<__int128>(i) << k) : Value::SmallInt(i >> k);
  const Operand count(by), n(value);
  if (count.negative && !count.zero()) return vm.Raise(Error::kValueError, "negative shift count");
  if (n.zero()) return Value::SmallInt(0);
  if (count.size > 1) {
    if (left) return vm.Raise(Error::kOverflowError, "too many digits in integer");
    return Value::SmallInt(n.negative ? -1 : 0);
  }
  const Limb bits = count.zero() ? 0 : count.limbs[0];
  return left ? ShiftLeft(vm, n, bits) : ShiftRight(vm, n, bits);
}

Value IntBitwise(Vm& vm, Operator op, const Operand& a, const Operand& b) {
  const size_t size = std::max(a.size, b.size) + 1;
  BigInt* out = NewBig(vm, size);
  if (out == nullptr) return Value();
  Complement x(a), y(b);
  for (size_t i = 0; i < size; ++i) {
    const Limb p = x.Next(i), q = y.Next(i);
    out->limbs[i] = op == Operator::kAnd ? p & q : op == Operator::kOr ? p | q : p ^ q;
  }
  const bool negative = out->limbs[size - 1] >> 63 != 0;
  if (negative) Negate(out->limbs, size);
  return FinishInt(vm, out, negative);
}

int64_t IntBitCount(Value v) {
  const Operand n(v);
  int64_t count = 0;
  for (size_t i = 0; i < n.size; ++i) count += std::popcount(n.limbs[i]);
  return count;
}

bool IntToBytes(Vm& vm, Value v, size_t size, bool little, bool is_signed, char* out) {
  const Operand n(v);
  if (n.negative && !is_signed) {
    vm.Raise(Error::kOverflowError, "can't convert negative int to unsigned");
    return false;
  }
  // Of a negative number, -2**k needs no bit more than 2**k - 1.
  size_t need = n.bits() + is_signed;
  if (n.negative) {
    bool power = std::has_single_bit(n.limbs[n.size - 1]);
    for (size_t i = 0; i + 1 < n.size && power; ++i) power = n.limbs[i] == 0;
    need -= power;
  }
  if (n.zero()) need = 0;
  if (need > size * 8) {
    vm.Raise(Error::kOverflowError, "int too big to convert");
    return false;
  }
  Complement bytes(n);
  Limb limb = 0;
  for (size_t i = 0; i < size; ++i) {
    if (i % 8 == 0) limb = bytes.Next(i / 8);
    out[little ? i : size - 1 - i] = static_cast<char>(limb >> (i % 8 * 8));
  }
  return true;
}

Value IntFromBytes(Vm& vm, const char* bytes, size_t size, bool little, bool is_signed) {
  BigInt* out = NewBig(vm, size / 8 + 1);
  if (out == nullptr) return Value();
  const auto at = [&](size_t i) {
    return static_cast<Limb>(static_cast<unsigned char>(bytes[little ? i : size - 1 - i]));
  };
  for (size_t i = 0; i < size; ++i) out->limbs[i / 8] |= at(i) << (i % 8 * 8);
  const bool negative = is_signed && size > 0 && (at(size - 1) & 0x80) != 0;
  if (negative) {
    for (size_t i = size; i < out->size * size_t{8}; ++i)
      out->limbs[i / 8] |= Limb{0xFF} << (i % 8 * 8);
    Negate(out->limbs, out->size);
  }
  return FinishInt(vm, out, negative);
}

}  // namespace ferry::vm
