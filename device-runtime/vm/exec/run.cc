// The interpreter: one loop, dispatched through a table of labels. Fast ways for small integers,
// floats, lists and plain function calls are here; everything else is a call of Vm.
#include "device-runtime/vm/exec/data/set.h"
#include "device-runtime/vm/exec/helper.h"
#include "device-runtime/vm/exec/intrinsic.h"
#include "device-runtime/vm/exec/object/inline_cache.h"
#include "device-runtime/vm/exec/object/method.h"
#include "device-runtime/vm/exec/object/shape.h"
#include "device-runtime/vm/exec/quick.h"
#include "device-runtime/vm/exec/resume.h"
#include "device-runtime/vm/exec/slow.h"
#include "device-runtime/vm/exec/vm.h"
#include "device-runtime/vm/number/wide.h"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic"
#endif

// A computed goto runs no destructors: nothing that has one may live in a block here.
namespace ferry::vm {

#define R(i) base[(i)]
#define K(i) constants[(i)]
#define NEXT()                                    \
  do {                                            \
    ins = *pc++;                                  \
    goto* kLabels[static_cast<uint16_t>(ins.op)]; \
  } while (0)
#define SAVE() (frame->pc = pc)
#define LOAD_FRAME()                           \
  do {                                         \
    frame = &frames.back();                    \
    base = frame->base;                        \
    constants = frame->code->constants.data(); \
    pc = frame->pc;                            \
  } while (0)
#define ENTER_FRAME()                          \
  do {                                         \
    frame = &frames.back();                    \
    base = frame->base;                        \
    constants = frame->code->constants.data(); \
    pc = frame->code->instructions.data();     \
  } while (0)
#define FAIL() goto failure
// Stores the result of a slow way, which may have failed; scripts it ran may have moved `frames`.
#define SLOW(target, expression)     \
  do {                               \
    SAVE();                          \
    const Value slow = (expression); \
    frame = &frames.back();          \
    if (slow.empty()) FAIL();        \
    base[(target)] = slow;           \
  } while (0)
#define SLOW_BOOL(expression)     \
  do {                            \
    SAVE();                       \
    const bool ok = (expression); \
    frame = &frames.back();       \
    if (!ok) FAIL();              \
  } while (0)

// Operators: small integers and floats here, the rest at `binary`, which finds its operands in
// x_, y_.
#define BINARY(name, x, y, which, inplace)                       \
  L_##name : {                                                   \
    x_ = (x), y_ = (y);                                          \
    if (QuickNumber(Operator::which, x_, y_, &R(ins.a))) NEXT(); \
    operator_ = static_cast<uint8_t>(Operator::which);           \
    in_place_ = inplace;                                         \
    goto binary;                                                 \
  }
#define ARITHMETIC(name, which) BINARY(name, R(ins.b), R(ins.c), which, false)
#define ARITHMETIC_K(name, which) BINARY(name, R(ins.b), K(ins.c), which, false)

#define COMPARE(name, op_text)                                         \
  L_##name : {                                                         \
    x_ = R(ins.b), y_ = R(ins.c);                                      \
    if (Value::BothInt(x_, y_)) {                                      \
      R(ins.a) = Value::Bool(x_.ShiftedInt() op_text y_.ShiftedInt()); \
      NEXT();                                                          \
    }                                                                  \
    if (x_.IsFloat() && y_.IsFloat()) {                                \
      R(ins.a) = Value::Bool(x_.AsFloat() op_text y_.AsFloat());       \
      NEXT();                                                          \
    }                                                                  \
    operator_ = static_cast<uint8_t>(Operator::k##name);               \
    goto compare;                                                      \
  }

#define COMPARE_JUMP(name, op_text, right, which)                  \
  L_##name : {                                                     \
    x_ = R(ins.b), y_ = right;                                     \
    if (Value::BothInt(x_, y_)) {                                  \
      if (!(x_.ShiftedInt() op_text y_.ShiftedInt())) pc += ins.a; \
      NEXT();                                                      \
    }                                                              \
    if (x_.IsFloat() && y_.IsFloat()) {                            \
      if (!(x_.AsFloat() op_text y_.AsFloat())) pc += ins.a;       \
      NEXT();                                                      \
    }                                                              \
    operator_ = static_cast<uint8_t>(Operator::which);             \
    goto compare_jump;                                             \
  }
#define COMPARE_ALL(name, op_text)                  \
  COMPARE(name, op_text)                            \
  COMPARE_JUMP(name##J, op_text, R(ins.c), k##name) \
  COMPARE_JUMP(name##JK, op_text, K(ins.c), k##name)

// Starts a call; continues in the callee's frame or with the result in place.
// Instructions are counted where they may be many: at calls and when jumping back. The build that
// measures what that costs leaves it out.
#ifdef FERRY_VM_UNCOUNTED
#define PASSED_STEPS(n) false
#else
#define PASSED_STEPS(n) ((steps_slice -= (n)) < 0)
#endif
#define COUNT_STEPS(n) (!PASSED_STEPS(n) || RefillSteps())
#define STEP_CALL()              \
  do {                           \
    SAVE();                      \
    if (!COUNT_STEPS(8)) FAIL(); \
    SafePoint();                 \
  } while (0)
// Calls of script functions with exactly their parameters, and of some built-ins with the
// arguments they are mostly called with.
#define QUICK_CALL(callee, args, count)                                                            \
  do {                                                                                             \
    const Value callee_ = callee;                                                                  \
    if (Is(callee_, Type::kFunction)) {                                                            \
      CodeObject* const code_ = As<Function>(callee_)->code;                                       \
      if (code_->simple && (count) == code_->positional) {                                         \
        STEP_CALL();                                                                               \
        if (!PushSimple(*this, As<Function>(callee_), args, count, &R(ins.a), FrameKind::kPlain))  \
          FAIL();                                                                                  \
        ENTER_FRAME();                                                                             \
        NEXT();                                                                                    \
      }                                                                                            \
    } else if (Is(callee_, Type::kClass) && As<Class>(callee_)->quick_id != 0 &&                   \
               As<Class>(callee_)->quick_id == As<Class>(callee_)->instance_id &&                  \
               As<Class>(callee_)->quick_init->code->positional == (count) + 1) {                  \
      STEP_CALL();                                                                                 \
      const Value instance_ = NewInstance(*this, As<Class>(callee_));                              \
      if (instance_.empty()) FAIL();                                                               \
      Value* const args_ = (args)-1; /* in the place of the class, or the free one of self */      \
      Function* const init_ = As<Class>(callee_)->quick_init;                                      \
      args_[0] = instance_;                                                                        \
      if (!PushSimple(*this, init_, args_, (count) + 1, &R(ins.a), FrameKind::kSpecial)) FAIL();   \
      frames.back().constructed = instance_;                                                       \
      ENTER_FRAME();                                                                               \
      NEXT();                                                                                      \
    } else if (Is(callee_, Type::kNative) && As<Native>(callee_)->intrinsic != Intrinsic::kNone) { \
      const Value result_ = TryIntrinsic(*this, As<Native>(callee_)->intrinsic, args, count);      \
      if (!result_.empty()) {                                                                      \
        R(ins.a) = result_;                                                                        \
        if (!COUNT_STEPS(8)) {                                                                     \
          SAVE();                                                                                  \
          FAIL();                                                                                  \
        }                                                                                          \
        if (heap.wants_collection()) {                                                             \
          SAVE();                                                                                  \
          SafePoint();                                                                             \
        }                                                                                          \
        NEXT();                                                                                    \
      }                                                                                            \
    }                                                                                              \
  } while (0)
// Runs a method of x_ (and y_, and what lies after them) in a frame of its own, in this loop.
#define PUSH_METHOD(method, count, target, frame_kind)                        \
  do {                                                                        \
    Value* const args_ = top;                                                 \
    args_[0] = x_;                                                            \
    if ((count) > 1) args_[1] = y_;                                           \
    if (!PushSimple(*this, method, args_, count, target, frame_kind)) FAIL(); \
    ENTER_FRAME();                                                            \
    NEXT();                                                                   \
  } while (0)
#define BEGIN_CALL(callee, args, count, keyword_names)                            \
  do {                                                                            \
    STEP_CALL();                                                                  \
    const Begin begin = BeginCall(callee, args, count, keyword_names, &R(ins.a)); \
    if (begin == Begin::kFailed) {                                                \
      frame = &frames.back();                                                     \
      FAIL();                                                                     \
    }                                                                             \
    LOAD_FRAME();                                                                 \
    NEXT();                                                                       \
  } while (0)

Value Vm::Run(size_t bottom) {
  static const void* const kLabels[] = {
#define FERRY_OP(name) &&L_##name,
#include "device-runtime/vm/compile/opcodes.inc"
#undef FERRY_OP
  };
  Frame* frame;
  Value* base;
  const Value* constants;
  const Instruction* pc;
  Instruction ins;
  Value x_, y_;  // operands of the operator at hand
  uint8_t operator_ = 0;
  bool in_place_ = false;
  LOAD_FRAME();
  NEXT();

L_Move:
  R(ins.a) = R(ins.b);
  NEXT();
L_Const:
  R(ins.a) = K(ins.b);
  NEXT();
L_LoadGlobal : {
  const Variable& variable = frame->code->module->slots[ins.b];
  const Value v = variable.value.empty() ? variable.builtin : variable.value;
  if (v.empty()) {
    SAVE();
    Throw(Error::kNameError, "name '{}' is not defined", variable.name->view());
    FAIL();
  }
  R(ins.a) = v;
  NEXT();
}
L_StoreGlobal:
  frame->code->module->slots[ins.b].value = R(ins.a);
  NEXT();
L_DeleteGlobal : {
  Variable& variable = frame->code->module->slots[ins.b];
  SAVE();
  if (variable.value.empty()) {
    Throw(Error::kNameError, "name '{}' is not defined", variable.name->view());
    FAIL();
  }
  variable.value = Value();
  NEXT();
}
L_MakeCell:
  SLOW(ins.a, NewCell(R(ins.a)));
  NEXT();
L_LoadCell : {
  const Value v = As<Cell>(R(ins.b))->value;
  if (v.empty()) {
    SAVE();
    Throw(Error::kUnboundLocalError,
          "cannot access local variable '{}' where it is not associated with a value",
          Text(K(ins.c)));
    FAIL();
  }
  R(ins.a) = v;
  NEXT();
}
L_StoreCell:
  As<Cell>(R(ins.b))->value = R(ins.a);
  NEXT();
L_LoadFree : {
  const Value v = frame->function->cells[ins.b]->value;
  if (v.empty()) {
    SAVE();
    Throw(Error::kNameError,
          "cannot access free variable '{}' where it is not associated with a value in enclosing "
          "scope",
          Text(K(ins.c)));
    FAIL();
  }
  R(ins.a) = v;
  NEXT();
}
L_StoreFree:
  frame->function->cells[ins.b]->value = R(ins.a);
  NEXT();
L_LoadClassName : {
  bool failed_find = false;
  Value* found = DictFind(As<Dict>(R(0)), K(ins.b), &failed_find);
  const Variable& variable = frame->code->module->slots[ins.c];
  const Value v = found != nullptr         ? *found
                  : variable.value.empty() ? variable.builtin
                                           : variable.value;
  if (v.empty()) {
    SAVE();
    Throw(Error::kNameError, "name '{}' is not defined", Text(K(ins.b)));
    FAIL();
  }
  R(ins.a) = v;
  NEXT();
}
L_StoreClassName:
  SLOW_BOOL(SetIndex(R(0), K(ins.b), R(ins.a)));
  NEXT();
L_CheckLocal:
  if (R(ins.a).empty()) {
    SAVE();
    Throw(Error::kUnboundLocalError,
          "cannot access local variable '{}' where it is not associated with a value",
          Text(K(ins.b)));
    FAIL();
  }
  NEXT();
L_DeleteLocal:
  R(ins.a) = Value();
  NEXT();

  ARITHMETIC(Add, kAdd)
  ARITHMETIC_K(AddK, kAdd)
  ARITHMETIC(Sub, kSub)
  ARITHMETIC_K(SubK, kSub)
  ARITHMETIC(Mul, kMul)
  ARITHMETIC_K(MulK, kMul)
  ARITHMETIC(Div, kDiv)
  ARITHMETIC_K(DivK, kDiv)
  ARITHMETIC(FloorDiv, kFloorDiv)
  ARITHMETIC_K(FloorDivK, kFloorDiv)
  ARITHMETIC(Mod, kMod)
  ARITHMETIC_K(ModK, kMod)
  ARITHMETIC(And, kAnd)
  ARITHMETIC_K(AndK, kAnd)
  ARITHMETIC(Or, kOr)
  ARITHMETIC(Xor, kXor)
  ARITHMETIC(ShiftLeft, kLeft)
  ARITHMETIC_K(ShiftLeftK, kLeft)
  ARITHMETIC(ShiftRight, kRight)
  ARITHMETIC_K(ShiftRightK, kRight)
  ARITHMETIC(Power, kPow)
  ARITHMETIC_K(PowerK, kPow)
  BINARY(InPlaceAdd, R(ins.a), R(ins.c), kAdd, true)
  BINARY(InPlaceAddK, R(ins.a), K(ins.c), kAdd, true)
  BINARY(InPlaceSub, R(ins.a), R(ins.c), kSub, true)
  BINARY(InPlaceSubK, R(ins.a), K(ins.c), kSub, true)
  BINARY(InPlaceMul, R(ins.a), R(ins.c), kMul, true)
L_Binary:
  x_ = R(ins.a), y_ = R(ins.c);
  operator_ = static_cast<uint8_t>(ins.b);
  in_place_ = false;
  goto binary;
L_InPlaceK:
  x_ = R(ins.a), y_ = K(ins.c);
  goto in_place;
L_InPlace:
  x_ = R(ins.a), y_ = R(ins.c);
in_place:
  if (QuickNumber(static_cast<Operator>(ins.b), x_, y_, &R(ins.a))) NEXT();
  operator_ = static_cast<uint8_t>(ins.b);
  in_place_ = true;
binary : {
  Value wide;
  if (WideBinary(*this, static_cast<Operator>(operator_), x_, y_, &wide)) {
    SAVE();
    if (wide.empty()) FAIL();
    R(ins.a) = wide;
    NEXT();
  }
  if (operator_ == static_cast<uint8_t>(Operator::kAdd) && IsExactString(x_) && IsExactString(y_)) {
    SLOW(ins.a, AppendString(As<String>(x_), As<String>(y_)));
    NEXT();
  }
  SAVE();
  Function* method = BinaryMethod(*this, operator_, x_, y_, in_place_);
  if (method != nullptr) PUSH_METHOD(method, 2, &R(ins.a), FrameKind::kBinary);
  SLOW(ins.a, Binary(operator_, x_, y_, in_place_));
  NEXT();
}
L_Unary:
  SLOW(ins.a, Unary(ins.c, R(ins.b)));
  NEXT();
L_Not : {
  const Value v = R(ins.b);
  if (v.IsBool()) {
    R(ins.a) = Value::Bool(v.IsFalse());
    NEXT();
  }
  bool truth;
  SLOW_BOOL(Truth(v, &truth));
  R(ins.a) = Value::Bool(!truth);
  NEXT();
}
  COMPARE_ALL(Less, <)
  COMPARE_ALL(LessEqual, <=)
  COMPARE_ALL(Greater, >)
  COMPARE_ALL(GreaterEqual, >=)
  COMPARE_ALL(Equal, ==)
  COMPARE_ALL(NotEqual, !=)
compare : {
  bool equal;
  const bool equality = operator_ >= static_cast<uint8_t>(Operator::kEqual);
  if (equality && QuickEqual(x_, y_, &equal)) {
    R(ins.a) = Value::Bool(equal == (operator_ == static_cast<uint8_t>(Operator::kEqual)));
    NEXT();
  }
  SAVE();
  Function* method = CompareMethod(*this, operator_, x_, y_);
  if (method != nullptr) PUSH_METHOD(method, 2, &R(ins.a), FrameKind::kCompare);
  SLOW(ins.a, Compare(operator_, x_, y_));
  NEXT();
}
compare_jump : {
  bool truth = false;
  const bool equality = operator_ >= static_cast<uint8_t>(Operator::kEqual);
  if (equality && QuickEqual(x_, y_, &truth)) {
    if (truth != (operator_ == static_cast<uint8_t>(Operator::kEqual))) pc += ins.a;
    NEXT();
  }
  SAVE();
  Function* method = CompareMethod(*this, operator_, x_, y_);
  if (method != nullptr) PUSH_METHOD(method, 2, nullptr, FrameKind::kCompareJump);
  const Value outcome = Compare(operator_, x_, y_);
  const bool ok = !outcome.empty() && Truth(outcome, &truth);
  frame = &frames.back();
  if (!ok) FAIL();
  if (!truth) pc += ins.a;
  NEXT();
}
L_In:
L_NotIn : {
  const Value container = R(ins.c);
  if (IsExact(container, Type::kDict) || (IsSet(container) && !Derived(container))) {
    bool known;
    const Entry* entry = IsSet(container) ? QuickSetFind(As<Dict>(container), R(ins.b), &known)
                                          : QuickFind(As<Dict>(container), R(ins.b), &known);
    if (known) {
      R(ins.a) = Value::Bool((entry != nullptr) == (ins.op == Op::kIn));
      NEXT();
    }
  }
  bool contains;
  SLOW_BOOL(Contains(R(ins.c), R(ins.b), &contains));
  R(ins.a) = Value::Bool(contains == (ins.op == Op::kIn));
  NEXT();
}
L_Is:
  R(ins.a) = Value::Bool(R(ins.b) == R(ins.c));
  NEXT();
L_IsNot:
  R(ins.a) = Value::Bool(!(R(ins.b) == R(ins.c)));
  NEXT();

L_Jump:
  pc += ins.a;
  NEXT();
L_JumpBack:
  pc -= ins.a;
  if (PASSED_STEPS(ins.a) || heap.wants_collection()) {
    SAVE();
    if (steps_slice < 0 && !RefillSteps()) FAIL();
    SafePoint();
  }
  NEXT();
L_JumpIfNone:
  if (R(ins.b).IsNone()) pc += ins.a;
  NEXT();
L_JumpIfNotNone:
  if (!R(ins.b).IsNone()) pc += ins.a;
  NEXT();
L_JumpIfSame:
  if (R(ins.b) == R(ins.c)) pc += ins.a;
  NEXT();
L_JumpIfNotSame:
  if (!(R(ins.b) == R(ins.c))) pc += ins.a;
  NEXT();
L_JumpIf:
L_JumpIfNot : {
  const Value v = R(ins.b);
  bool truth = v.IsTrue();
  if (!v.IsBool()) {
    if (v.IsSmallInt()) {
      truth = v.AsSmallInt() != 0;
    } else if (!v.IsNone()) {
      SLOW_BOOL(Truth(v, &truth));
    }
  }
  if (truth == (ins.op == Op::kJumpIf)) pc += ins.a;
  NEXT();
}

  // What these three remember is valid for one id of a shape, class or module: ids are given once
  // and renewed when the class changes, so one comparison proves all that was found.
L_LoadAttribute : {
  const Value v = R(ins.b);
  const auto& cache = reinterpret_cast<const AttributeCache&>(*pc);
  pc += 2;
  if (Is(v, Type::kInstance)) {
    if (As<Instance>(v)->shape->id == cache.id) {
      if (cache.slot == kProperty) {
        SAVE();
        x_ = v;
        PUSH_METHOD(As<Function>(cache.value), 1, &R(ins.a), FrameKind::kPlain);
      }
      const Value found = cache.slot == kNoSelf ? cache.value : As<Instance>(v)->slots[cache.slot];
      if (!found.empty()) {
        R(ins.a) = found;
        NEXT();
      }
    }
  } else if (Is(v, Type::kModule)) {
    if (As<Module>(v)->id == cache.id && !As<Module>(v)->slots[cache.slot].value.empty()) {
      R(ins.a) = As<Module>(v)->slots[cache.slot].value;
      NEXT();
    }
  } else if (Is(v, Type::kClass) && As<Class>(v)->id == cache.id) {
    R(ins.a) = cache.value;
    NEXT();
  }
  SLOW(ins.a, ferry::vm::LoadAttribute(*this, v, As<String>(K(ins.c)), pc - 2));
  NEXT();
}
L_StoreAttribute : {
  const Value v = R(ins.b);
  const auto& cache = reinterpret_cast<const AttributeCache&>(*pc);
  pc += 2;
  if (Is(v, Type::kInstance)) {
    auto* instance = As<Instance>(v);
    if (instance->shape->id == cache.id && cache.slot < instance->aux) {
      instance->slots[cache.slot] = R(ins.a);
      if (cache.shape != nullptr) instance->shape = cache.shape;
      NEXT();
    }
  }
  SLOW_BOOL(ferry::vm::StoreAttribute(*this, v, As<String>(K(ins.c)), R(ins.a), pc - 2));
  NEXT();
}
L_DeleteAttribute:
  SLOW_BOOL(DeleteAttribute(R(ins.b), As<String>(K(ins.c))));
  NEXT();
L_LoadMethod : {
  const Value v = R(ins.b);
  const auto& cache = reinterpret_cast<const AttributeCache&>(*pc);
  pc += 2;
  if (cache.id != 0 && ReceiverId(*this, v) == cache.id) {
    const Value found =
        cache.slot >= kNoSelf ? cache.value : As<Module>(v)->slots[cache.slot].value;
    if (!found.empty()) {
      R(ins.a) = found;
      R(ins.a + 1) = cache.slot == kWithSelf ? v : Value();
      NEXT();
    }
  }
  Value function, self;
  SLOW_BOOL(ferry::vm::LoadMethod(*this, v, As<String>(K(ins.c)), &function, &self, pc - 2));
  R(ins.a) = function;
  R(ins.a + 1) = self;
  NEXT();
}
L_LoadIndexK:
L_LoadIndex : {
  const Value v = R(ins.b), key = ins.op == Op::kLoadIndex ? R(ins.c) : K(ins.c);
  if (key.IsSmallInt() && v.IsObject()) {
    const int64_t i = key.AsSmallInt();
    if (IsExact(v, Type::kList)) {
      auto* list = As<List>(v);
      const int64_t at = i < 0 ? i + list->size : i;
      if (at >= 0 && at < list->size) {
        R(ins.a) = list->items[at];
        NEXT();
      }
    } else if (IsExact(v, Type::kTuple)) {
      auto* tuple = As<Tuple>(v);
      const int64_t at = i < 0 ? i + tuple->size : i;
      if (at >= 0 && at < tuple->size) {
        R(ins.a) = tuple->items[at];
        NEXT();
      }
    } else if (IsExactString(v)) {
      auto* string = As<String>(v);
      const int64_t at = i < 0 ? i + string->size : i;
      if (string->ascii() && at >= 0 && at < string->size) {
        R(ins.a) = Value::Of(characters[static_cast<unsigned char>(string->data[at])]);
        NEXT();
      }
    }
  }
  if (IsExact(v, Type::kDict)) {
    bool known;
    const Entry* entry = QuickFind(As<Dict>(v), key, &known);
    if (entry != nullptr) {
      R(ins.a) = entry->value;
      NEXT();
    }
  } else if (Is(v, Type::kInstance)) {
    SAVE();
    Function* method = SpecialFunction(*this, v, names.getitem, 2);
    x_ = v, y_ = key;
    if (method != nullptr) PUSH_METHOD(method, 2, &R(ins.a), FrameKind::kPlain);
  }
  SLOW(ins.a, Index(v, key));
  NEXT();
}
L_StoreIndex : {
  const Value v = R(ins.b), key = R(ins.c);
  if (key.IsSmallInt() && IsExact(v, Type::kList)) {
    auto* list = As<List>(v);
    const int64_t i = key.AsSmallInt();
    if (i >= 0 && i < list->size) {
      list->items[i] = R(ins.a);
      NEXT();
    }
  } else if (Is(v, Type::kInstance)) {
    SAVE();
    Function* method = SpecialFunction(*this, v, names.setitem, 3);
    x_ = v, y_ = key;
    top[2] = R(ins.a);
    if (method != nullptr) PUSH_METHOD(method, 3, nullptr, FrameKind::kDiscard);
  }
  SLOW_BOOL(SetIndex(v, key, R(ins.a)));
  NEXT();
}
L_DeleteIndex:
  SLOW_BOOL(DeleteIndex(R(ins.b), R(ins.c)));
  NEXT();

L_NewList:
  SLOW(ins.a, NewList(&R(ins.b), ins.c));
  NEXT();
L_NewTuple:
  SLOW(ins.a, NewTuple(&R(ins.b), ins.c));
  NEXT();
L_NewSet:
  SLOW(ins.a, BuildSet(*this, &R(ins.b), ins.c));
  NEXT();
L_NewDict:
  SLOW(ins.a, NewDict());
  NEXT();
L_NewSlice:
  SLOW(ins.a, NewSlice(R(ins.b), R(ins.b + 1), R(ins.b + 2)));
  NEXT();
L_ListAppend:
  if (As<List>(R(ins.a))->size < As<List>(R(ins.a))->capacity) {
    auto* list = As<List>(R(ins.a));
    list->items[list->size++] = R(ins.b);
    NEXT();
  }
  SLOW_BOOL(Append(As<List>(R(ins.a)), R(ins.b)));
  NEXT();
L_ListExtend:
  SLOW_BOOL(Extend(As<List>(R(ins.a)), R(ins.b)));
  NEXT();
L_SetAdd:
  SLOW_BOOL(DictSet(As<Dict>(R(ins.a)), R(ins.b), Value::None()));
  NEXT();
L_SetUpdate:
  SLOW_BOOL(SetUpdate(*this, As<Dict>(R(ins.a)), R(ins.b)));
  NEXT();
L_DictSet:
  SLOW_BOOL(DictSet(As<Dict>(R(ins.a)), R(ins.b), R(ins.c)));
  NEXT();
L_DictMerge:
  SLOW_BOOL(DictMerge(As<Dict>(R(ins.a)), R(ins.b), ins.c == 1));
  NEXT();
L_ListToTuple:
  SLOW(ins.a, NewTuple(As<List>(R(ins.a))->items, As<List>(R(ins.a))->size));
  NEXT();
L_Format:
  SLOW(ins.a, FormatField(*this, R(ins.b), R(ins.b + 1), ins.c));
  NEXT();
L_JoinStrings:
  SLOW(ins.a, JoinStrings(*this, &R(ins.b), ins.c));
  NEXT();
L_Unpack : {
  const Value v = R(ins.b);
  if (IsExact(v, Type::kTuple) && As<Tuple>(v)->size == ins.c) {
    for (uint32_t i = 0; i < ins.c; ++i) R(ins.a + i) = As<Tuple>(v)->items[i];
    NEXT();
  }
}
  SLOW_BOOL(Unpack(R(ins.b), &R(ins.a), ins.c));
  NEXT();
L_UnpackStar:
  SLOW_BOOL(UnpackStar(R(ins.b), &R(ins.a), ins.c >> 8, ins.c & 255));
  NEXT();
L_Iterate:
  SLOW(ins.a, Iterate(R(ins.b)));
  NEXT();
L_ForNext : {
  const Value v = R(ins.a);
  const Quick quick = QuickNext(*this, v, &R(ins.b));
  if (quick == Quick::kItem) NEXT();
  if (quick == Quick::kEnd) {
    pc += ins.c;
    NEXT();
  }
  SAVE();
  if (Is(v, Type::kGenerator)) {
    if (!COUNT_STEPS(4)) FAIL();
    if (PushGenerator(*this, As<Generator>(v), &R(ins.b))) {
      LOAD_FRAME();
      NEXT();
    }
  } else if (Is(v, Type::kInstance)) {
    Function* method = SpecialFunction(*this, v, names.next, 1);
    x_ = v;
    if (method != nullptr) PUSH_METHOD(method, 1, &R(ins.b), FrameKind::kNext);
  } else if (Is(v, Type::kIterator) && pc->op == Op::kUnpack && pc->b == ins.b) {
    // The items of enumerate() and zip() go where they are unpacked to, without a tuple.
    const Quick items = NextUnpacked(*this, As<Iterator>(v), &R(pc->a), pc->c);
    frame = &frames.back();
    if (items == Quick::kItem) {
      ++pc;
      NEXT();
    }
    if (items == Quick::kEnd) {
      if (failed()) FAIL();
      pc += ins.c;
      NEXT();
    }
  }
  const Value next = Next(v);
  frame = &frames.back();
  if (next.empty()) {
    if (failed()) FAIL();
    pc += ins.c;
  } else {
    R(ins.b) = next;
  }
  NEXT();
}

L_Call:
  QUICK_CALL(R(ins.a), &R(ins.a + 1), ins.b);
  BEGIN_CALL(R(ins.a), &R(ins.a + 1), ins.b, nullptr);
L_CallMethod : {
  const bool self = !R(ins.a + 1).empty();
  QUICK_CALL(R(ins.a), &R(ins.a + (self ? 1 : 2)), static_cast<uint32_t>(ins.b) + self);
  // Without a self its place is free for one that the callee may need.
  BEGIN_CALL(R(ins.a), &R(ins.a + (self ? 1 : 2)), static_cast<uint32_t>(ins.b) + self, nullptr);
}
L_CallKeyword : {
  const bool self = !R(ins.a + 1).empty();
  const auto* keyword_names = As<Tuple>(K(ins.c));
  BEGIN_CALL(R(ins.a), &R(ins.a + (self ? 1 : 2)),
             static_cast<uint32_t>(ins.b) + self - keyword_names->size, keyword_names);
}
L_CallSpread : {
  if (!COUNT_STEPS(8)) FAIL();
  SLOW(ins.a, CallSpread(R(ins.a), R(ins.a + 1), R(ins.a + 2)));
  NEXT();
}
L_Closure:
  SLOW(ins.a, MakeFunction(frame->code->functions[ins.b], *frame, R(ins.a), R(ins.a + 1)));
  NEXT();
L_MakeClass:
  SLOW(ins.a, BuildClass(*this, As<String>(K(ins.c)), R(ins.a), R(ins.a + 1),
                         ins.b == 1 ? R(ins.a + 2) : Value()));
  NEXT();
L_Return : {
  const Value result = R(ins.a);
  const FrameKind kind = frame->kind;
  if (kind != FrameKind::kPlain) {
    x_ = result;
    goto special_return;
  }
  Value* target = frame->result;
  frames.pop_back();
  if (target == nullptr) return result;
  *target = result;
  LOAD_FRAME();
  top = base + frame->code->registers;
  NEXT();
}
special_return : {
  const FrameKind kind = frame->kind;
  if (kind == FrameKind::kResumed) {  // the loop over the generator is over
    frame->generator->state = Generator::kDone;
    frame->generator->result = x_;
    frames.pop_back();
    LOAD_FRAME();
    top = base + frame->code->registers;
    pc += pc[-1].c;
    NEXT();
  }
  if (kind == FrameKind::kSpecial) {
    if (frame->generator != nullptr) {
      frame->generator->state = Generator::kDone;
      frame->generator->result = x_;
      frames.pop_back();
      return Value();
    }
    y_ = x_;
    x_ = frame->constructed;
  }
  Value* target = frame->result;
  frames.pop_back();
  const bool wrong = kind == FrameKind::kSpecial && !y_.IsNone();
  if (wrong) Throw(Error::kTypeError, "__init__() should return None, not '{}'", TypeName(y_));
  if (kind == FrameKind::kSpecial && target == nullptr) return wrong ? Value() : x_;
  LOAD_FRAME();
  top = base + frame->code->registers;
  if (wrong) FAIL();
  if (kind == FrameKind::kDiscard) NEXT();
  if (kind == FrameKind::kCompareJump) {
    bool truth = x_.IsTrue();
    if (!x_.IsBool()) {
      if (x_ == not_implemented) x_ = OperateAgain(*this, *frame);
      const bool ok = !x_.empty() && Truth(x_, &truth);
      frame = &frames.back();
      if (!ok) FAIL();
    }
    if (!truth) pc += pc[-1].a;
    NEXT();
  }
  if (x_ == not_implemented && (kind == FrameKind::kBinary || kind == FrameKind::kCompare)) {
    x_ = OperateAgain(*this, *frame);
    frame = &frames.back();
    if (x_.empty()) FAIL();
  }
  *target = x_;
  NEXT();
}
L_Yield : {
  Generator* generator = frame->generator;
  const Value v = R(ins.b);
  generator->pc = static_cast<uint32_t>(pc - 1 - frame->code->instructions.data());
  for (uint32_t i = 0; i < generator->register_count; ++i) generator->registers[i] = R(i);
  generator->state = Generator::kSuspended;
  if (frame->kind == FrameKind::kResumed) {
    Value* target = frame->result;
    frames.pop_back();
    *target = v;
    LOAD_FRAME();
    top = base + frame->code->registers;
    NEXT();
  }
  frames.pop_back();
  return v;
}
L_Send : {
  bool over;
  SLOW(ins.a, SendOn(*this, R(ins.b), R(ins.b + 1), &over));
  if (over) pc += ins.c;
  NEXT();
}

L_Raise:
  SAVE();
  RaiseStatement(*this, R(ins.a), ins.c == 1 ? R(ins.b) : Value());
  frame = &frames.back();
  FAIL();
L_RaiseAgain : {
  SAVE();
  Exception* handled = Handled();
  if (handled == nullptr) {
    Raise(Error::kRuntimeError, "No active exception to reraise");
  } else {
    pending = Value::Of(handled);
  }
  FAIL();
}
L_Throw:
  SAVE();
  if (Is(R(ins.a), Type::kException)) {
    pending = R(ins.a);
  } else {  // bytecode that no compiler makes
    Raise(Error::kSystemError, "bad operands");
  }
  FAIL();
L_RaiseAssertion : {
  SAVE();
  const Value args = ins.b == 1 ? NewTuple(&R(ins.a), 1) : empty_tuple;
  if (!args.empty())
    pending = MakeException(errors[static_cast<int>(Error::kAssertionError)], args);
  FAIL();
}
L_MatchException : {
  const Value cls = R(ins.c);
  bool match = false;
  const Value* all = Is(cls, Type::kTuple) ? As<Tuple>(cls)->items : &cls;
  const uint32_t count = Is(cls, Type::kTuple) ? As<Tuple>(cls)->size : 1;
  for (uint32_t i = 0; i < count; ++i) {
    if (!Is(all[i], Type::kClass) ||
        !IsSubclass(As<Class>(all[i]), errors[static_cast<int>(Error::kBaseException)])) {
      SAVE();
      Raise(Error::kTypeError,
            "catching classes that do not inherit from BaseException is not allowed");
      FAIL();
    }
    match = match || IsInstance(R(ins.b), As<Class>(all[i]));
  }
  R(ins.a) = Value::Bool(match);
  NEXT();
}
L_ExceptionType:
  R(ins.a) = Value::Of(ClassOf(R(ins.b)));
  NEXT();
L_Import:
  SLOW(ins.a, Import(Text(K(ins.b)), ins.c == 1));
  NEXT();
L_ImportFrom:
  SLOW(ins.a, ImportFrom(R(ins.b), As<String>(K(ins.c))));
  NEXT();
L_Helper:
  SLOW(ins.a, RunHelper(*this, ins.b, &R(ins.c)));
  NEXT();
L_Cache:
  NEXT();

failure:
  frame->pc = pc;
  if (!Unwind(bottom)) return Value();
  LOAD_FRAME();
  top = base + frame->code->registers;
  NEXT();
}

}  // namespace ferry::vm
