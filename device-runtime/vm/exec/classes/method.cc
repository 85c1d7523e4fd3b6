#include "device-runtime/vm/exec/classes/method.h"

namespace ferry::vm {
namespace {

struct MethodNames {
  String* Vm::Names::*method;
  String* Vm::Names::*in_place;
};
// ORDER: Operator, up to kRight.
constexpr MethodNames kMethods[] = {
    {&Vm::Names::add, &Vm::Names::iadd},           {&Vm::Names::sub, &Vm::Names::isub},
    {&Vm::Names::mul, &Vm::Names::imul},           {&Vm::Names::truediv, &Vm::Names::itruediv},
    {&Vm::Names::floordiv, &Vm::Names::ifloordiv}, {&Vm::Names::mod, &Vm::Names::imod},
    {&Vm::Names::pow, &Vm::Names::ipow},           {&Vm::Names::matmul, &Vm::Names::imatmul},
    {&Vm::Names::and_, &Vm::Names::iand},          {&Vm::Names::or_, &Vm::Names::ior},
    {&Vm::Names::xor_, &Vm::Names::ixor},          {&Vm::Names::lshift, &Vm::Names::ilshift},
    {&Vm::Names::rshift, &Vm::Names::irshift},
};
// ORDER: Operator, from kLess.
constexpr String* Vm::Names::*kComparisons[] = {&Vm::Names::lt, &Vm::Names::le, &Vm::Names::gt,
                                                &Vm::Names::ge, &Vm::Names::eq, &Vm::Names::ne};

// Whether y's class comes before x's: its reflected method is tried first.
bool ReflectedFirst(Vm& vm, Value x, Value y) {
  if (!y.IsObject()) return false;
  Class *a = vm.ClassOf(x), *b = vm.ClassOf(y);
  return a != b && vm.IsSubclass(b, a);
}

}  // namespace

Function* BinaryMethod(Vm& vm, uint8_t op, Value x, Value y, bool in_place) {
  if (!Is(x, Type::kInstance)) return nullptr;
  const MethodNames& names = kMethods[op];
  // Without the method of its own an operator in place is the plain one, which the general way
  // does.
  if (in_place) return SpecialFunction(vm, x, vm.names.*names.in_place, 2);
  return ReflectedFirst(vm, x, y) ? nullptr : SpecialFunction(vm, x, vm.names.*names.method, 2);
}

Function* CompareMethod(Vm& vm, uint8_t op, Value x, Value y) {
  if (!Is(x, Type::kInstance) || ReflectedFirst(vm, x, y)) return nullptr;
  const int which = op - static_cast<int>(Operator::kLess);
  return SpecialFunction(vm, x, vm.names.*kComparisons[which], 2);
}

namespace {

// The operator and the operands of an instruction.
struct Operation {
  Operator op;
  Value x, y;
  bool in_place;
};

Operation OperationAt(const Frame& frame) {
  const Instruction ins = frame.pc[-1];
  const Value* r = frame.base;
  const auto& k = frame.code->constants;
  switch (ins.op) {
#define FERRY_PLAIN(name, op) \
  case Op::name:              \
    return {Operator::op, r[ins.b], r[ins.c], false};
#define FERRY_CONSTANT(name, op) \
  case Op::name:                 \
    return {Operator::op, r[ins.b], k[ins.c], false};
#define FERRY_BOTH(name, op) \
  FERRY_PLAIN(name, op)      \
  FERRY_CONSTANT(name##K, op)
    FERRY_BOTH(kAdd, kAdd)
    FERRY_BOTH(kSub, kSub)
    FERRY_BOTH(kMul, kMul)
    FERRY_BOTH(kDiv, kDiv)
    FERRY_BOTH(kFloorDiv, kFloorDiv)
    FERRY_BOTH(kMod, kMod)
    FERRY_BOTH(kAnd, kAnd)
    FERRY_PLAIN(kOr, kOr)
    FERRY_PLAIN(kXor, kXor)
    FERRY_BOTH(kShiftLeft, kLeft)
    FERRY_BOTH(kShiftRight, kRight)
    FERRY_BOTH(kPower, kPow)
#define FERRY_COMPARE(name)  \
  FERRY_PLAIN(name, name)    \
  FERRY_PLAIN(name##J, name) \
  FERRY_CONSTANT(name##JK, name)
    // NOLINTBEGIN(bugprone-branch-clone): rows of a table
    FERRY_COMPARE(kLess)
    FERRY_COMPARE(kLessEqual)
    FERRY_COMPARE(kGreater)
    FERRY_COMPARE(kGreaterEqual)
    FERRY_COMPARE(kEqual)
    FERRY_COMPARE(kNotEqual)
    // NOLINTEND(bugprone-branch-clone)
#undef FERRY_COMPARE
#undef FERRY_BOTH
#undef FERRY_CONSTANT
#undef FERRY_PLAIN
    case Op::kInPlaceAdd:
      return {Operator::kAdd, r[ins.a], r[ins.c], true};
    case Op::kInPlaceAddK:
      return {Operator::kAdd, r[ins.a], k[ins.c], true};
    case Op::kInPlaceSub:
      return {Operator::kSub, r[ins.a], r[ins.c], true};
    case Op::kInPlaceSubK:
      return {Operator::kSub, r[ins.a], k[ins.c], true};
    case Op::kInPlaceMul:
      return {Operator::kMul, r[ins.a], r[ins.c], true};
    case Op::kInPlaceK:
      return {static_cast<Operator>(ins.b), r[ins.a], k[ins.c], true};
    case Op::kInPlace:
      return {static_cast<Operator>(ins.b), r[ins.a], r[ins.c], true};
    default:  // kBinary
      return {static_cast<Operator>(ins.b), r[ins.a], r[ins.c], false};
  }
}

}  // namespace

Value OperateAgain(Vm& vm, const Frame& frame) {
  const Operation o = OperationAt(frame);
  if (o.op >= Operator::kLess) return vm.Compare(static_cast<int>(o.op), o.x, o.y, 1);
  return vm.Binary(static_cast<int>(o.op), o.x, o.y, o.in_place, 1);
}

}  // namespace ferry::vm
