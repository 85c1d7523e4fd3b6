// The interpreter: one loop, dispatched through a table of labels. Fast ways for small integers,
// floats, lists and plain function calls are here; everything else is a call of Vm.
#include "device-runtime/vm/exec/slow.h"
#include "device-runtime/vm/exec/vm.h"

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

#define ARITHMETIC(name, right, int_op, float_op, which)                                 \
  L_##name : {                                                                           \
    const Value x = R(ins.b), y = right;                                                 \
    if (Value::BothInt(x, y)) {                                                          \
      int64_t r;                                                                         \
      if (!int_op(x.AsSmallInt(), y.AsSmallInt(), &r) && Value::FitsInt(r)) {            \
        R(ins.a) = Value::SmallInt(r);                                                   \
        NEXT();                                                                          \
      }                                                                                  \
    } else if (x.IsFloat() && y.IsFloat()) {                                             \
      R(ins.a) = Value::Float(x.AsFloat() float_op y.AsFloat());                         \
      NEXT();                                                                            \
    } else if (x.IsFloat() && y.IsSmallInt()) {                                          \
      R(ins.a) = Value::Float(x.AsFloat() float_op static_cast<double>(y.AsSmallInt())); \
      NEXT();                                                                            \
    } else if (x.IsSmallInt() && y.IsFloat()) {                                          \
      R(ins.a) = Value::Float(static_cast<double>(x.AsSmallInt()) float_op y.AsFloat()); \
      NEXT();                                                                            \
    }                                                                                    \
    SLOW(ins.a, Binary(static_cast<int>(Operator::which), x, y));                        \
    NEXT();                                                                              \
  }

#define MODULO(name, right)                                      \
  L_##name : {                                                   \
    const Value x = R(ins.b), y = right;                         \
    if (Value::BothInt(x, y) && y.AsSmallInt() > 0) {            \
      const int64_t m = y.AsSmallInt(), r = x.AsSmallInt() % m;  \
      R(ins.a) = Value::SmallInt(r < 0 ? r + m : r);             \
      NEXT();                                                    \
    }                                                            \
    SLOW(ins.a, Binary(static_cast<int>(Operator::kMod), x, y)); \
    NEXT();                                                      \
  }

#define COMPARE(name, op_text)                                       \
  L_##name : {                                                       \
    const Value x = R(ins.b), y = R(ins.c);                          \
    if (Value::BothInt(x, y)) {                                      \
      R(ins.a) = Value::Bool(x.AsSmallInt() op_text y.AsSmallInt()); \
      NEXT();                                                        \
    }                                                                \
    if (x.IsFloat() && y.IsFloat()) {                                \
      R(ins.a) = Value::Bool(x.AsFloat() op_text y.AsFloat());       \
      NEXT();                                                        \
    }                                                                \
    SLOW(ins.a, Compare(static_cast<int>(Operator::k##name), x, y)); \
    NEXT();                                                          \
  }

#define COMPARE_JUMP(name, op_text, right, which)                           \
  L_##name : {                                                              \
    const Value x = R(ins.b), y = right;                                    \
    if (Value::BothInt(x, y)) {                                             \
      if (!(x.AsSmallInt() op_text y.AsSmallInt())) pc += ins.a;            \
      NEXT();                                                               \
    }                                                                       \
    if (x.IsFloat() && y.IsFloat()) {                                       \
      if (!(x.AsFloat() op_text y.AsFloat())) pc += ins.a;                  \
      NEXT();                                                               \
    }                                                                       \
    bool truth = false;                                                     \
    SAVE();                                                                 \
    const Value outcome = Compare(static_cast<int>(Operator::which), x, y); \
    const bool ok = !outcome.empty() && Truth(outcome, &truth);             \
    frame = &frames.back();                                                 \
    if (!ok) FAIL();                                                        \
    if (!truth) pc += ins.a;                                                \
    NEXT();                                                                 \
  }
#define COMPARE_ALL(name, op_text)                  \
  COMPARE(name, op_text)                            \
  COMPARE_JUMP(name##J, op_text, R(ins.c), k##name) \
  COMPARE_JUMP(name##JK, op_text, K(ins.c), k##name)

// Starts a call; continues in the callee's frame or with the result in place.
#define BEGIN_CALL(callee, args, count, keyword_names)                            \
  do {                                                                            \
    SAVE();                                                                       \
    if ((steps_slice -= 8) < 0 && !RefillSteps()) FAIL();                         \
    SafePoint();                                                                  \
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
  SLOW_BOOL(DictSet(As<Dict>(R(0)), K(ins.b), R(ins.a)));
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

  ARITHMETIC(Add, R(ins.c), __builtin_add_overflow, +, kAdd)
  ARITHMETIC(AddK, K(ins.c), __builtin_add_overflow, +, kAdd)
  ARITHMETIC(Sub, R(ins.c), __builtin_sub_overflow, -, kSub)
  ARITHMETIC(SubK, K(ins.c), __builtin_sub_overflow, -, kSub)
  ARITHMETIC(Mul, R(ins.c), __builtin_mul_overflow, *, kMul)
  ARITHMETIC(MulK, K(ins.c), __builtin_mul_overflow, *, kMul)
L_Div : {
  const Value x = R(ins.b), y = R(ins.c);
  if (x.IsFloat() && y.IsFloat() && y.AsFloat() != 0) {
    R(ins.a) = Value::Float(x.AsFloat() / y.AsFloat());
    NEXT();
  }
  if (Value::BothInt(x, y) && y.AsSmallInt() != 0) {
    R(ins.a) =
        Value::Float(static_cast<double>(x.AsSmallInt()) / static_cast<double>(y.AsSmallInt()));
    NEXT();
  }
  SLOW(ins.a, Binary(static_cast<int>(Operator::kDiv), x, y));
  NEXT();
}
L_FloorDiv : {
  const Value x = R(ins.b), y = R(ins.c);
  if (Value::BothInt(x, y) && y.AsSmallInt() > 0) {
    const int64_t n = x.AsSmallInt(), m = y.AsSmallInt();
    R(ins.a) = Value::SmallInt(n >= 0 ? n / m : -((-n + m - 1) / m));
    NEXT();
  }
  SLOW(ins.a, Binary(static_cast<int>(Operator::kFloorDiv), x, y));
  NEXT();
}
  MODULO(Mod, R(ins.c))
  MODULO(ModK, K(ins.c))
L_Binary:
  SLOW(ins.a, Binary(ins.b, R(ins.a), R(ins.c)));
  NEXT();
L_InPlace : {
  const Value x = R(ins.a), y = R(ins.c);
  if (ins.b == static_cast<int>(Operator::kAdd)) {
    if (Value::BothInt(x, y)) {
      const int64_t r = x.AsSmallInt() + y.AsSmallInt();
      if (Value::FitsInt(r)) {
        R(ins.a) = Value::SmallInt(r);
        NEXT();
      }
    } else if (x.IsFloat() && y.IsFloat()) {
      R(ins.a) = Value::Float(x.AsFloat() + y.AsFloat());
      NEXT();
    }
  }
  SLOW(ins.a, Binary(ins.b, x, y, true));
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
L_In:
L_NotIn : {
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
  if ((steps_slice -= ins.a) < 0 || heap.wants_collection()) {
    SAVE();
    if (steps_slice < 0 && !RefillSteps()) FAIL();
    SafePoint();
  }
  NEXT();
L_JumpIf:
L_JumpIfNot : {
  const Value v = R(ins.b);
  bool truth = v.IsTrue();
  if (!v.IsBool()) SLOW_BOOL(Truth(v, &truth));
  if (truth == (ins.op == Op::kJumpIf)) pc += ins.a;
  NEXT();
}

L_LoadAttribute : {
  const Value v = R(ins.b);
  Instruction& cache = const_cast<Instruction&>(*pc++);
  if (Is(v, Type::kInstance)) {
    auto* instance = As<Instance>(v);
    Dict* attributes = instance->attributes;
    const uint32_t number = static_cast<uint32_t>(cache.a) | static_cast<uint32_t>(cache.b) << 16;
    // A number of 0 is not cached: entry 0 is remembered as 1. Properties are never remembered: a
    // class with one of this name does not let StoreOwn write the name.
    if (attributes != nullptr && number != 0 && number <= attributes->used &&
        attributes->entries[number - 1].key == K(ins.c)) {
      R(ins.a) = attributes->entries[number - 1].value;
      NEXT();
    }
    SLOW(ins.a, GetAttribute(v, As<String>(K(ins.c))));
    if (attributes != nullptr && attributes == instance->attributes) {
      for (uint32_t i = 0; i < attributes->used && i < 16; ++i) {
        if (!(attributes->entries[i].key == K(ins.c))) continue;
        if (!(attributes->entries[i].value == R(ins.a))) break;
        cache.a = static_cast<uint16_t>(i + 1);
      }
    }
    NEXT();
  }
  SLOW(ins.a, GetAttribute(v, As<String>(K(ins.c))));
  NEXT();
}
L_StoreAttribute : {
  const Value v = R(ins.b);
  Instruction& cache = const_cast<Instruction&>(*pc++);
  if (Is(v, Type::kInstance)) {
    auto* instance = As<Instance>(v);
    Dict* attributes = instance->attributes;
    if (attributes != nullptr && cache.a != 0 && cache.a <= attributes->used &&
        !instance->cls->has_getattr && attributes->entries[cache.a - 1].key == K(ins.c)) {
      attributes->entries[cache.a - 1].value = R(ins.a);
      NEXT();
    }
    SLOW_BOOL(SetAttribute(v, As<String>(K(ins.c)), R(ins.a)));
    attributes = instance->attributes;
    for (uint32_t i = 0; attributes != nullptr && i < attributes->used && i < 16; ++i)
      if (attributes->entries[i].key == K(ins.c)) cache.a = static_cast<uint16_t>(i + 1);
    NEXT();
  }
  SLOW_BOOL(SetAttribute(v, As<String>(K(ins.c)), R(ins.a)));
  NEXT();
}
L_DeleteAttribute:
  SLOW_BOOL(DeleteAttribute(R(ins.b), As<String>(K(ins.c))));
  NEXT();
L_LoadMethod : {
  Value function, self;
  SLOW_BOOL(GetMethod(R(ins.b), As<String>(K(ins.c)), &function, &self));
  R(ins.a) = function;
  R(ins.a + 1) = self;
  NEXT();
}
L_LoadIndexK:
L_LoadIndex : {
  const Value v = R(ins.b), key = ins.op == Op::kLoadIndex ? R(ins.c) : K(ins.c);
  if (key.IsSmallInt() && v.IsObject()) {
    const int64_t i = key.AsSmallInt();
    if (v.object()->type == Type::kList) {
      auto* list = As<List>(v);
      const int64_t at = i < 0 ? i + list->size : i;
      if (at >= 0 && at < list->size) {
        R(ins.a) = list->items[at];
        NEXT();
      }
    } else if (v.object()->type == Type::kTuple) {
      auto* tuple = As<Tuple>(v);
      const int64_t at = i < 0 ? i + tuple->size : i;
      if (at >= 0 && at < tuple->size) {
        R(ins.a) = tuple->items[at];
        NEXT();
      }
    }
  }
  SLOW(ins.a, Index(v, key));
  NEXT();
}
L_StoreIndex : {
  const Value v = R(ins.b), key = R(ins.c);
  if (key.IsSmallInt() && Is(v, Type::kList)) {
    auto* list = As<List>(v);
    const int64_t i = key.AsSmallInt();
    if (i >= 0 && i < list->size) {
      list->items[i] = R(ins.a);
      NEXT();
    }
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
L_Unpack:
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
  if (Is(v, Type::kIterator)) {
    auto* it = As<Iterator>(v);
    if (it->kind() == IteratorKind::kRange && Value::FitsInt(it->index)) {
      if (it->stop == 0) {
        pc += ins.c;
        NEXT();
      }
      R(ins.b) = Value::SmallInt(it->index);
      if (--it->stop > 0) it->index += it->step;
      NEXT();
    }
    if (it->kind() == IteratorKind::kList) {
      auto* list = As<List>(it->source);
      if (it->index < list->size) {
        R(ins.b) = list->items[it->index++];
        NEXT();
      }
      it->index = INT64_MAX;
      pc += ins.c;
      NEXT();
    }
  }
  SAVE();
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
  BEGIN_CALL(R(ins.a), &R(ins.a + 1), ins.b, nullptr);
L_CallMethod : {
  const bool self = !R(ins.a + 1).empty();
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
  if ((steps_slice -= 8) < 0 && !RefillSteps()) FAIL();
  SLOW(ins.a, CallSpread(R(ins.a), R(ins.a + 1), R(ins.a + 2)));
  NEXT();
}
L_Closure:
  SLOW(ins.a, MakeFunction(frame->code->functions[ins.b], *frame, R(ins.a), R(ins.a + 1)));
  NEXT();
L_MakeClass:
  SLOW(ins.a, BuildClass(*this, As<String>(K(ins.c)), R(ins.a), R(ins.a + 1)));
  NEXT();
L_Return : {
  Value result = frame->constructed.empty() ? R(ins.a) : frame->constructed;
  if (frame->generator != nullptr) {
    frame->generator->state = Generator::kDone;
    frame->generator->result = result;
    frames.pop_back();
    return Value();
  }
  Value* target = frame->result;
  frames.pop_back();
  if (target == nullptr) return result;
  *target = result;
  LOAD_FRAME();
  top = base + frame->code->registers;
  NEXT();
}
L_Yield : {
  Generator* generator = frame->generator;
  const Value v = R(ins.b);
  generator->pc = static_cast<uint32_t>(pc - 1 - frame->code->instructions.data());
  for (uint32_t i = 0; i < generator->register_count; ++i) generator->registers[i] = R(i);
  generator->state = Generator::kSuspended;
  frames.pop_back();
  return v;
}
L_GeneratorResult:
  R(ins.a) = Is(R(ins.b), Type::kGenerator) ? As<Generator>(R(ins.b))->result : Value::None();
  NEXT();

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
  pending = R(ins.a);
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
    if (!Is(all[i], Type::kClass)) {
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
