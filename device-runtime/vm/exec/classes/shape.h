// Where the attributes of instances lie. See Shape in object.h.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

inline constexpr uint32_t kMaxShapeSlots = 64;   // more attributes live in a Dict
inline constexpr uint32_t kMaxShapes = 500;      // of one class; then new ways live in a Dict
inline constexpr uint32_t kMaxInlineSlots = 29;  // of instances: they stay small blocks

// The attributes that a script class gives an object.
struct Slots {
  Shape** shape;
  Value** slots;
  uint32_t* capacity;
  Value* inlined;  // where they lie at first, or nullptr
};
// false: objects of this kind have none.
bool SlotsOf(Object* object, Slots* out);
Extension* ExtensionOf(Object* object);  // of a derived one
// Bytes that an object uses before its Extension.
size_t LayoutSize(const Object* object);

// Whether a property with the getter gives the item of a tuple: a Member of tuple, whose aux is the
// number; scripts cannot make one.
inline bool GetsItem(const Vm& vm, Value getter) {
  return Is(getter, Type::kMember) &&
         As<Member>(getter)->owner == vm.classes[static_cast<int>(Type::kTuple)];
}

// The slot of the attribute in objects of the shape, or -1; not for dictionaries.
int64_t FindSlot(Vm& vm, Shape* shape, const String* name);
// Attributes past descriptors and hooks; empty when absent.
Value GetSlot(Vm& vm, const Slots& slots, String* name);
bool SetSlot(Vm& vm, const Slots& slots, Class* cls, String* name, Value value);
// *found says whether it was there.
bool DeleteSlot(Vm& vm, const Slots& slots, String* name, bool* found);
// Makes the attributes a Dict for good.
Dict* SlotsDict(Vm& vm, const Slots& slots, Class* cls);
// As if it had had the class from the start: attributes move.
bool ChangeClass(Vm& vm, Value v, Class* cls);

Value NewInstance(Vm& vm, Class* cls);
// An object of `cls`, which derives from the class of `plain`, with its contents. What owns buffers
// gives them away: `plain` is not to be used again.
Value Derive(Vm& vm, Class* cls, Value plain);
// After a change of the class that inline caches may not survive.
void RenewIds(Vm& vm, Class* cls);

}  // namespace ferry::vm
