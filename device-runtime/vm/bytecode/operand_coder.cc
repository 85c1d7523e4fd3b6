#include "device-runtime/vm/bytecode/operand_coder.h"

#include <algorithm>
#include <utility>

namespace ferry::vm {
namespace {

bool IsRegister(Operand kind) {
  return kind >= Operand::kTo && kind <= Operand::kClassParts && kind != Operand::kDelegate;
}

bool IsConstant(Operand kind) {
  return kind == Operand::kConstant || kind == Operand::kName || kind == Operand::kKeywords;
}

}  // namespace

FilePart OperandCoder::PartOf(Operand kind) {
  if (IsConstant(kind)) return kConstants;
  if (kind == Operand::kGlobal) return kGlobals;
  return kind == Operand::kForward || kind == Operand::kBack ? kJumps : kOperands;
}

// A variable's register is odd, a temporary one the distance to the one before. A constant is 0
// when it is the next new one, its distance to that one when it is old, else its number + 1.
uint64_t OperandCoder::Encode(Operand kind, uint16_t operand) {
  const int64_t n = operand;
  if (IsRegister(kind)) {
    if (n < temporaries_) return static_cast<uint64_t>(n) * 2 + 1;
    return Zigzag(n - std::exchange(last_, n)) * 2;
  }
  if (!IsConstant(kind)) return operand;
  if (n < next_) return static_cast<uint64_t>(next_ - n);
  const bool next = n == next_;
  next_ = n + 1;
  return next ? 0 : static_cast<uint64_t>(n) + 1;
}

bool OperandCoder::Decode(Operand kind, uint64_t code, uint16_t* operand) {
  int64_t n = static_cast<int64_t>(code);
  if (IsRegister(kind)) {
    if ((code & 1) != 0) {
      n /= 2;
    } else {
      n = last_ += Unzigzag(code / 2);
    }
  } else if (IsConstant(kind)) {
    n = n == 0 ? next_ : n <= next_ ? next_ - n : n - 1;
    next_ = std::max(next_, n + 1);
  }
  *operand = static_cast<uint16_t>(n);
  return n == int64_t{*operand};
}

}  // namespace ferry::vm
