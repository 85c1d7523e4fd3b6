// Where the attributes of instances lie. See Shape in layout.h.
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
// Says where they are; false: objects of this kind have none.
bool SlotsOf(Object* object, Slots* out);

// Whether a property with the getter gives the item of a tuple: a Member of tuple, whose aux is the
// number; scripts cannot make one.
inline bool GetsItem(const Vm& vm, Value getter) {
  return Is(getter, Type::kMember) &&
         As<Member>(getter)->owner == vm.classes[static_cast<int>(Type::kTuple)];
}

// The functions below run no script, and fail for want of memory alone.

// The slot of the attribute in objects of the shape, or -1; not for dictionaries.
int64_t FindSlot(Vm& vm, Shape* shape, const String* name);
// Attributes past descriptors and hooks; empty with nothing pending: it is absent.
Value GetSlot(Vm& vm, const Slots& slots, String* name);
bool SetSlot(Vm& vm, const Slots& slots, Class* cls, String* name, Value value);
// *found says whether it was there.
bool DeleteSlot(Vm& vm, const Slots& slots, String* name, bool* found);
// Makes the attributes a Dict for good, and gives it.
Dict* SlotsDict(Vm& vm, const Slots& slots, Class* cls);
// Makes it an object of `cls`, as if it had had the class from the start: attributes move.
bool ChangeClass(Vm& vm, Value v, Class* cls);

// A new object of a script class, without attributes.
Value NewInstance(Vm& vm, Class* cls);
// Gives the class, and all that derive from it, new ids: after a change of the class that inline
// caches may not survive.
void RenewIds(Vm& vm, Class* cls);

// ---- derive.cc ----
// The Extension of an object of a script class derived from a built-in one.
Extension* ExtensionOf(Object* object);
// Bytes that an object uses before its Extension.
size_t LayoutSize(const Object* object);
// An object of `cls`, which derives from the class of `plain`, with its contents. What owns buffers
// gives them away: `plain` is not to be used again.
Value Derive(Vm& vm, Class* cls, Value plain);

}  // namespace ferry::vm
