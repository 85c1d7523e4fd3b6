// For the files of number/ alone: ints as limbs, room for results and for what is between.
#pragma once

#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/limbs.h"

namespace ferry::vm {

// The limbs of an int of any kind, borrowed from it.
struct Operand {
  explicit Operand(Value v);
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;
  bool zero() const { return size == 0; }
  size_t bits() const { return BitLength(limbs, size); }

  const Limb* limbs;
  size_t size;
  bool negative;

 private:
  Limb own_;
};

// Limbs that live for a block, charged to the isolate. data() is nullptr when there is no room:
// then the failure is reported already.
class Scratch {
 public:
  Scratch(Vm& vm, size_t limbs);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  Limb* data() { return data_; }
  bool failed() const { return data_ == nullptr; }

 private:
  static constexpr size_t kOwn = 24;
  Vm& vm_;
  Limb* data_;
  size_t size_;
  Limb own_[kOwn];
};

// Room for a result of up to `limbs` limbs; nullptr: reported. FinishInt trims it and makes small
// integers of what fits.
BigInt* NewBig(Vm& vm, size_t limbs);
BigInt* NewUnclearedBig(Vm& vm, size_t limbs);  // the caller writes all its limbs
Value FinishInt(Vm& vm, BigInt* big, bool negative);
Value IntOfLimbs(Vm& vm, const Limb* limbs, size_t size, bool negative);
Value IntOfWide(Vm& vm, __int128 wide);
// Counts work of about `multiplications` limb products.
inline bool ChargeLimbs(Vm& vm, int64_t multiplications) {
  return vm.ChargeSteps(multiplications / 8);
}
// a times b; 0 <= n, m.
Value MulInts(Vm& vm, const Operand& a, const Operand& b);
// Magnitudes: quotient (may be nullptr) of a.size - b.size + 1 limbs and remainder of b.size limbs;
// a >= b > 0. false: reported.
bool DivideLimbs(Vm& vm, const Limb* a, size_t n, const Limb* b, size_t m, Limb* quotient,
                 Limb* remainder);

}  // namespace ferry::vm
