// Built-in functions that the interpreter's loop does itself when their arguments are of the usual
// built-in types; with others, and to raise, it calls the function.
#pragma once

#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/collections/set.h"
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Tells the natives of the table in intrinsic.cc what they are.
void MarkIntrinsics(Vm& vm);

inline Value IntrinsicLen(Value v) {
  if (!v.IsObject()) return Value();
  switch (v.object()->type) {
    case Type::kString:
      return IsExact(v, Type::kString) ? Value::SmallInt(As<String>(v)->length) : Value();
    case Type::kList:
      return IsExact(v, Type::kList) ? Value::SmallInt(As<List>(v)->size) : Value();
    case Type::kTuple:
      return IsExact(v, Type::kTuple) ? Value::SmallInt(As<Tuple>(v)->size) : Value();
    case Type::kDict:
    case Type::kSet:
      return IsExact(v, v.object()->type) ? Value::SmallInt(As<Dict>(v)->count) : Value();
    default:
      return Value();
  }
}

// Whether calling the class is calling one native and nothing else.
inline bool IsMaker(const Class* cls) {
  return cls->builtin && cls->meta == nullptr && cls->layout != Type::kException &&
         Is(cls->maker, Type::kNative);
}

// min (less) or max of two numbers of one kind.
inline Value IntrinsicLesser(Value x, Value y, bool less) {
  if (Value::BothInt(x, y))
    return (less ? y.ShiftedInt() < x.ShiftedInt() : y.ShiftedInt() > x.ShiftedInt()) ? y : x;
  if (x.IsFloat() && y.IsFloat())
    return (less ? y.AsFloat() < x.AsFloat() : y.AsFloat() > x.AsFloat()) ? y : x;
  return Value();
}

// Where an attribute of an instance lies that nothing of its class stands before; or nullptr.
inline Value* PlainSlot(Vm& vm, Value v, Value name) {
  if (!IsExact(v, Type::kInstance) || !IsExact(name, Type::kString) ||
      !As<String>(name)->Has(StringFlag::kInterned))
    return nullptr;
  auto* const instance = As<Instance>(v);
  Class* const cls = instance->cls();
  if (cls->has_getattribute || cls->has_setattr || instance->shape->dictionary() ||
      !vm.FindInClass(cls, As<String>(name)).empty())
    return nullptr;
  const int64_t slot = FindSlot(vm, instance->shape, As<String>(name));
  return slot < 0 ? nullptr : &instance->slots[slot];
}

// Those of TryIntrinsic that may call something lie outside of it, so that the others need not save
// registers.
[[gnu::noinline]] inline Value TryDictGet(Value* args, uint32_t count) {
  if ((count != 2 && count != 3) || !Is(args[0], Type::kDict)) return Value();
  bool known;
  const Entry* entry = QuickFind(As<Dict>(args[0]), args[1], &known);
  if (entry != nullptr) return entry->value;
  return !known ? Value() : count == 3 ? args[2] : Value::None();
}
[[gnu::noinline]] inline Value TrySetAdd(Vm& vm, Value* args, uint32_t count) {
  if (count != 2 || !Is(args[0], Type::kSet)) return Value();
  bool known;
  const Entry* entry = QuickSetFind(As<Dict>(args[0]), args[1], &known);
  // What is known to be absent is put there without asking anybody.
  return entry != nullptr || (known && vm.SetAdd(As<Dict>(args[0]), args[1])) ? Value::None()
                                                                              : Value();
}
[[gnu::noinline]] inline Value TryLonger(Vm& vm, Intrinsic intrinsic, Value* args, uint32_t count) {
  switch (intrinsic) {
    case Intrinsic::kIsInstance:
      // What has methods may say by __class__ that it is of another class.
      if (count == 2 && Is(args[1], Type::kClass) && !HasInstanceHook(As<Class>(args[1]))) {
        const bool match = vm.IsInstance(args[0], As<Class>(args[1]));
        if (match || vm.FindSpecial(vm.ClassOf(args[0]), vm.names.class_).empty())
          return Value::Bool(match);
      }
      return Value();
    case Intrinsic::kGetAttr: {
      const Value* slot = count == 2 ? PlainSlot(vm, args[0], args[1]) : nullptr;
      return slot == nullptr ? Value() : *slot;
    }
    case Intrinsic::kSetAttr: {
      Value* slot = count == 3 ? PlainSlot(vm, args[0], args[1]) : nullptr;
      if (slot == nullptr || slot->empty()) return Value();
      *slot = args[2];
      return Value::None();
    }
    case Intrinsic::kSetDiscard:
    case Intrinsic::kSetRemove: {
      if (count != 2 || !Is(args[0], Type::kSet)) return Value();
      bool known;
      const Entry* entry = QuickSetFind(As<Dict>(args[0]), args[1], &known);
      if (entry != nullptr) TakeOut(As<Dict>(args[0]), const_cast<Entry*>(entry));
      const bool done = entry != nullptr || (known && intrinsic == Intrinsic::kSetDiscard);
      return done ? Value::None() : Value();
    }
    default:
      return Value();
  }
}

// The result, or empty: then the function itself is to be called.
inline Value TryIntrinsic(Vm& vm, Intrinsic intrinsic, Value* args, uint32_t count) {
  switch (intrinsic) {
    case Intrinsic::kLen:
      return count == 1 ? IntrinsicLen(args[0]) : Value();
    case Intrinsic::kOrd:
      if (count == 1 && IsExact(args[0], Type::kString) && As<String>(args[0])->size == 1)
        return Value::SmallInt(static_cast<unsigned char>(As<String>(args[0])->data[0]));
      return Value();
    case Intrinsic::kChr:
      if (count == 1 && args[0].IsSmallInt() && (args[0].AsSmallInt() & ~int64_t{127}) == 0)
        return Value::Of(vm.characters[args[0].AsSmallInt()]);
      return Value();
    case Intrinsic::kAbs:
      if (count != 1) return Value();
      if (args[0].IsFloat()) return Value::FloatResult(__builtin_fabs(args[0].AsFloat()));
      if (args[0].IsSmallInt() && args[0].AsSmallInt() > Value::kMinInt)
        return Value::SmallInt(std::abs(args[0].AsSmallInt()));
      return Value();
    case Intrinsic::kMin:
      return count == 2 ? IntrinsicLesser(args[0], args[1], true) : Value();
    case Intrinsic::kMax:
      return count == 2 ? IntrinsicLesser(args[0], args[1], false) : Value();
    case Intrinsic::kListAppend: {
      if (count != 2 || !Is(args[0], Type::kList)) return Value();
      auto* list = As<List>(args[0]);
      if (list->size == list->capacity) return Value();
      list->items[list->size++] = args[1];
      return Value::None();
    }
    case Intrinsic::kListPop: {
      if (count != 1 || !Is(args[0], Type::kList)) return Value();
      auto* list = As<List>(args[0]);
      return list->size == 0 ? Value() : list->items[--list->size];
    }
    case Intrinsic::kDictGet:
      return TryDictGet(args, count);
    case Intrinsic::kSetAdd:
      return TrySetAdd(vm, args, count);
    default:
      return TryLonger(vm, intrinsic, args, count);
  }
}

}  // namespace ferry::vm
