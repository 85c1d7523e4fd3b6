#include "device-runtime/vm/number/wide.h"

#include <array>

#include "device-runtime/vm/number/operand.h"

namespace ferry::vm {
namespace {

using Wide = __int128;

// Of up to 126 bits.
bool WideOf(Value v, Wide* out) {
  if (v.IsSmallInt()) {
    *out = v.AsSmallInt();
    return true;
  }
  if (!IsExact(v, Type::kBigInt)) return false;
  const auto* big = As<BigInt>(v);
  if (big->size > 2 || (big->size == 2 && big->limbs[1] >> 62 != 0)) return false;
  Wide magnitude = big->limbs[0];
  if (big->size == 2) magnitude |= static_cast<Wide>(big->limbs[1]) << 64;
  *out = big->negative() ? -magnitude : magnitude;
  return true;
}

// Floored.
void DivMod(Wide x, Wide y, Wide* quotient, Wide* remainder) {
  using Magnitude = unsigned __int128;
  const auto m = static_cast<Magnitude>(x < 0 ? -x : x), n = static_cast<Magnitude>(y < 0 ? -y : y);
  Wide q, r;
  if ((m | n) >> 64 == 0) {
    q = static_cast<uint64_t>(m) / static_cast<uint64_t>(n);
    r = static_cast<uint64_t>(m) % static_cast<uint64_t>(n);
  } else {
    q = static_cast<Wide>(m / n);
    r = static_cast<Wide>(m % n);
  }
  if ((x < 0) != (y < 0)) {
    if (r != 0) {
      ++q;
      r = static_cast<Wide>(n) - r;
    }
    q = -q;
  }
  *quotient = q;
  *remainder = y < 0 ? -r : r;
}

// false: no operator or result for this.
bool Operate(Operator op, Wide a, Wide b, Wide* r) {
  Wide ignored;
  const auto low = static_cast<int64_t>(a), by = static_cast<int64_t>(b);
  if (op == Operator::kMod && low == a && by == b && low >= 0 && by > 0) {
    *r = low % by;
    return true;
  }
  switch (op) {
    case Operator::kAdd:
      return !__builtin_add_overflow(a, b, r);
    case Operator::kSub:
      return !__builtin_sub_overflow(a, b, r);
    case Operator::kMul:
      return !__builtin_mul_overflow(a, b, r);
    case Operator::kFloorDiv:
    case Operator::kMod:
      if (b == 0) return false;
      if (op == Operator::kMod) {
        DivMod(a, b, &ignored, r);
      } else {
        DivMod(a, b, r, &ignored);
      }
      return true;
    case Operator::kAnd:
      *r = a & b;
      return true;
    case Operator::kOr:
      *r = a | b;
      return true;
    case Operator::kXor:
      *r = a ^ b;
      return true;
    case Operator::kLeft:
      return b >= 0 && b <= 62 && !__builtin_mul_overflow(a, Wide{1} << b, r);
    case Operator::kRight:
      if (b < 0) return false;
      *r = a >> static_cast<int>(b > 127 ? Wide{127} : b);
      return true;
    default:
      return false;
  }
}

// The instructions that a chain goes on with.
struct Link {
  Op op;
  Operator does;
  bool constant, in_place;
};
constexpr Link kLinks[] = {
    {Op::kAdd, Operator::kAdd, false, false},
    {Op::kAddK, Operator::kAdd, true, false},
    {Op::kSub, Operator::kSub, false, false},
    {Op::kSubK, Operator::kSub, true, false},
    {Op::kMul, Operator::kMul, false, false},
    {Op::kMulK, Operator::kMul, true, false},
    {Op::kFloorDiv, Operator::kFloorDiv, false, false},
    {Op::kMod, Operator::kMod, false, false},
    {Op::kModK, Operator::kMod, true, false},
    {Op::kFloorDivK, Operator::kFloorDiv, true, false},
    {Op::kAnd, Operator::kAnd, false, false},
    {Op::kAndK, Operator::kAnd, true, false},
    {Op::kOr, Operator::kOr, false, false},
    {Op::kXor, Operator::kXor, false, false},
    {Op::kShiftLeft, Operator::kLeft, false, false},
    {Op::kShiftLeftK, Operator::kLeft, true, false},
    {Op::kShiftRight, Operator::kRight, false, false},
    {Op::kShiftRightK, Operator::kRight, true, false},
    {Op::kInPlaceAdd, Operator::kAdd, false, true},
    {Op::kInPlaceAddK, Operator::kAdd, true, true},
    {Op::kInPlaceSub, Operator::kSub, false, true},
    {Op::kInPlaceSubK, Operator::kSub, true, true},
    {Op::kInPlaceMul, Operator::kMul, false, true},
    {Op::kInPlace, Operator::kAdd, false, true},  // b says which
    {Op::kInPlaceK, Operator::kAdd, true, true},
};

// For each operation the number of its link plus 1; 0: it has none.
constexpr auto kLinkOf = [] {
  std::array<uint8_t, 256> numbers{};
  for (size_t i = 0; i < std::size(kLinks); ++i)
    numbers[static_cast<size_t>(kLinks[i].op)] = static_cast<uint8_t>(i + 1);
  return numbers;
}();

const Link* LinkOf(Op op) {
  const uint8_t number = kLinkOf[static_cast<size_t>(op) & 255];
  return number == 0 || kLinks[number - 1].op != op ? nullptr : &kLinks[number - 1];
}

}  // namespace

int WideChain(Vm& vm, const Frame& frame, const Instruction* pc, Operator op, Value x, Value y) {
  Wide a, b, r;
  if (!WideOf(x, &a) || !WideOf(y, &b) || !Operate(op, a, b, &r)) return -1;
  uint16_t at = pc[-1].a;
  int done = 0;
  for (;; ++done, ++pc) {
    if (r >= Value::kMinInt && r <= Value::kMaxInt) break;  // the loop itself goes on
    const Link* const link = LinkOf(pc->op);
    if (link == nullptr || (link->in_place ? pc->a : pc->b) != at) break;
    // Its own register would keep the old value: fine where nobody reads it again.
    if (pc->a != at && at < frame.code->temporaries) break;
    const bool rare = pc->op == Op::kInPlace || pc->op == Op::kInPlaceK;
    const Value by = link->constant ? frame.code->constants[pc->c] : frame.base[pc->c];
    Wide next;
    if (!link->constant && pc->c == at) break;
    if (!WideOf(by, &b) || !Operate(rare ? static_cast<Operator>(pc->b) : link->does, r, b, &next))
      break;
    r = next;
    if (pc->a != at) frame.base[at] = Value::None();
    at = pc->a;
  }
  const Value made = IntOfWide(vm, r);
  if (made.empty()) return -2;
  frame.base[at] = made;
  return done;
}

}  // namespace ferry::vm
