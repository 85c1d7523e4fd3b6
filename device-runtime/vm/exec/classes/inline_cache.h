// What LoadAttribute, StoreAttribute and LoadMethod remember in the two words behind them.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

inline constexpr uint16_t kWithSelf = UINT16_MAX;      // the value; for methods: the object is self
inline constexpr uint16_t kNoSelf = UINT16_MAX - 1;    // the value as it is
inline constexpr uint16_t kProperty = UINT16_MAX - 2;  // what the value, a simple function, gives
// The item of the tuple whose number is in the value, a Member.
inline constexpr uint16_t kItem = UINT16_MAX - 3;

// The first word is a Cache instruction whose operands are `slot` and `id`. The second is a value,
// or the shape that a store leads to.
struct __attribute__((may_alias)) AttributeCache {
  Op op;
  uint16_t slot;  // of an instance or module, kWithSelf or kNoSelf
  uint32_t id;    // of a shape, class or module; 0: nothing is remembered
  union {
    Value value;
    Shape* shape;  // nullptr: the store adds nothing
  };
};
static_assert(sizeof(AttributeCache) == 2 * sizeof(Instruction));

// The id of what methods are found by in an object of a script class derived from a built-in one;
// 0: it is not remembered.
uint32_t DerivedId(Object* object);

// Whether all objects of the type have one class, which is none of scripts or libraries.
constexpr bool HasOneClass(Type type) {
  constexpr uint64_t kTypes = [] {
    uint64_t set = 0;
    for (const Type one : {Type::kString, Type::kBytes, Type::kList, Type::kTuple, Type::kDict,
                           Type::kSet, Type::kFrozenSet, Type::kRange, Type::kSlice, Type::kComplex,
                           Type::kByteArray, Type::kMemoryView, Type::kArray})
      set |= uint64_t{1} << static_cast<int>(one);
    return set;
  }();
  return (kTypes >> static_cast<int>(type) & 1) != 0;
}

// The id of what methods of `v` are found by; 0: it is not remembered.
inline uint32_t ReceiverId(const Vm& vm, Value v) {
  if (!v.IsObject())
    return v.IsSmallInt() ? vm.classes[kIntClass]->instance_id
           : v.IsFloat()  ? vm.classes[kFloatClass]->instance_id
                          : 0;
  const Object* object = v.object();
  if (object->type == Type::kInstance) return As<Instance>(v)->shape->id;
  if (object->derived) return DerivedId(v.object());
  if (HasOneClass(object->type)) return vm.classes[static_cast<int>(object->type)]->instance_id;
  if (object->type == Type::kModule) return As<Module>(v)->id;
  if (object->type == Type::kClass) return As<Class>(v)->id;
  return object->type == Type::kRecord ? As<Record>(v)->cls->instance_id : 0;
}

// What the instructions do when nothing remembered fits: they find out, and remember what can be
// remembered. They fail as Vm::GetAttribute, SetAttribute and GetMethod do, and scripts may run.
Value LoadAttribute(Vm& vm, Value v, String* name, const Instruction* cache);
bool StoreAttribute(Vm& vm, Value v, String* name, Value value, const Instruction* cache);
bool LoadMethod(Vm& vm, Value v, String* name, Value* function, Value* self,
                const Instruction* cache);

}  // namespace ferry::vm
