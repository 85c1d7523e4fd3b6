#include "device-runtime/vm/number/operand.h"

#include <bit>
#include <cstring>

namespace ferry::vm {

Operand::Operand(Value v) {
  int64_t i;
  if (SmallOf(v, &i)) {
    negative = i < 0;
    own_ = negative ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
    limbs = &own_;
    size = own_ != 0;
    return;
  }
  auto* big = As<BigInt>(v);
  negative = big->negative();
  limbs = big->limbs;
  size = TrimmedSize(big->limbs, big->size);
}

Scratch::Scratch(Vm& vm, size_t limbs) : vm_(vm), data_(own_), size_(limbs) {
  if (limbs <= kOwn) return;
  data_ = static_cast<Limb*>(vm.heap.NewBuffer(limbs * sizeof(Limb)));
  if (data_ == nullptr) vm.OutOfMemory();
}

Scratch::~Scratch() {
  if (data_ != own_) vm_.heap.FreeBuffer(data_, size_ * sizeof(Limb));
}

BigInt* NewUnclearedBig(Vm& vm, size_t limbs) {
  if (limbs > kMaxBigIntLimbs) {
    vm.TooLarge();
    return nullptr;
  }
  auto* big =
      Cast<BigInt>(vm.heap.NewUncleared(Type::kBigInt, sizeof(BigInt) + limbs * sizeof(Limb)));
  if (big == nullptr) {
    vm.OutOfMemory();
    return nullptr;
  }
  big->size = static_cast<uint32_t>(limbs);
  return big;
}

BigInt* NewBig(Vm& vm, size_t limbs) {
  BigInt* big = NewUnclearedBig(vm, limbs);
  if (big != nullptr) std::memset(big->limbs, 0, limbs * sizeof(Limb));
  return big;
}

Value FinishInt(Vm& vm, BigInt* big, bool negative) {
  const size_t size = TrimmedSize(big->limbs, big->size);
  const bool small =
      size == 0 || (size == 1 && big->limbs[0] <= static_cast<Limb>(Value::kMaxInt) + negative);
  if (small || size + 8 < big->size - big->size / 4)
    return IntOfLimbs(vm, big->limbs, size, negative);
  big->size = static_cast<uint32_t>(size);
  big->set_negative(negative);
  return Value::Of(big);
}

Value IntOfLimbs(Vm& vm, const Limb* limbs, size_t size, bool negative) {
  size = TrimmedSize(limbs, size);
  if (size == 0) return Value::SmallInt(0);
  constexpr Limb kMax = static_cast<Limb>(Value::kMaxInt);
  if (size == 1 && limbs[0] <= kMax + negative)
    return Value::SmallInt(negative ? -static_cast<int64_t>(limbs[0])
                                    : static_cast<int64_t>(limbs[0]));
  BigInt* big = NewUnclearedBig(vm, size);
  if (big == nullptr) return Value();
  std::memcpy(big->limbs, limbs, size * sizeof(Limb));
  big->set_negative(negative);
  return Value::Of(big);
}

Value IntOfWide(Vm& vm, __int128 wide) {
  if (wide >= Value::kMinInt && wide <= Value::kMaxInt)
    return Value::SmallInt(static_cast<int64_t>(wide));
  const auto m =
      wide < 0 ? 0 - static_cast<unsigned __int128>(wide) : static_cast<unsigned __int128>(wide);
  const Limb limbs[] = {static_cast<Limb>(m), static_cast<Limb>(m >> 64)};
  return IntOfLimbs(vm, limbs, 2, wide < 0);
}

Value MulInts(Vm& vm, const Operand& a, const Operand& b) {
  if (a.zero() || b.zero()) return Value::SmallInt(0);
  if (!ChargeLimbs(vm, MulWork(a.size, b.size))) return Value();
  BigInt* out = NewBig(vm, a.size + b.size);
  if (out == nullptr) return Value();
  Scratch scratch(vm, MulScratch(a.size, b.size));
  if (scratch.failed()) return Value();
  MulLimbs(out->limbs, a.limbs, a.size, b.limbs, b.size, scratch.data());
  return FinishInt(vm, out, a.negative != b.negative);
}

bool DivideLimbs(Vm& vm, const Limb* a, size_t n, const Limb* b, size_t m, Limb* quotient,
                 Limb* remainder) {
  Scratch scratch(vm, (n + 1) + m + (n - m + 1));
  if (scratch.failed()) return false;
  Limb *u = scratch.data(), *v = u + n + 1, *q = quotient == nullptr ? v + m : quotient;
  if (m == 1) {
    std::memcpy(q == quotient ? q : u, a, n * sizeof(Limb));
    remainder[0] = DivSmall(q == quotient ? q : u, n, b[0]);
    return true;
  }
  if (!ChargeLimbs(vm, static_cast<int64_t>((n - m + 1) * m))) return false;
  const auto shift = static_cast<unsigned>(std::countl_zero(b[m - 1]));
  ShiftUp(u, a, n, shift);
  for (size_t i = m; i-- > 0;)
    v[i] =
        (shift == 0 ? b[i] : b[i] << shift) | (shift == 0 || i == 0 ? 0 : b[i - 1] >> (64 - shift));
  DivLimbs(q, u, n, v, m);
  ShiftDown(remainder, u, m, shift);
  return true;
}

}  // namespace ferry::vm
