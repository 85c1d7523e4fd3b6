#include "device-runtime/vm/exec/classes/inline_cache.h"

#include "device-runtime/vm/exec/classes/shape.h"

namespace ferry::vm {
namespace {

AttributeCache& CacheAt(const Instruction* word) {
  return *reinterpret_cast<AttributeCache*>(const_cast<Instruction*>(word));
}

Vm::AttributeLine& LineOf(Vm& vm, const Instruction* word, uint32_t id) {
  return vm.attribute_lines[(reinterpret_cast<uintptr_t>(word) / sizeof(Instruction) * 7 + id) %
                            Vm::kAttributeLines];
}

// What the words remember for `id` is kept also when they come to remember another.
void Keep(Vm& vm, const Instruction* word, uint32_t id) {
  const AttributeCache& cache = CacheAt(word);
  if (cache.id == id) LineOf(vm, word, id) = {word, uint64_t{id} << 16 | cache.slot, cache.value};
}

// Puts into the words what was kept for `id`; false: nothing.
bool Recall(Vm& vm, const Instruction* word, uint32_t id) {
  const Vm::AttributeLine& line = LineOf(vm, word, id);
  if (line.word != word || line.id_and_slot >> 16 != id) return false;
  AttributeCache& cache = CacheAt(word);
  cache.slot = static_cast<uint16_t>(line.id_and_slot);
  cache.id = id;
  cache.value = line.value;
  return true;
}

bool Remember(const Instruction* word, uint32_t id, int64_t slot, Value value) {
  AttributeCache& cache = CacheAt(word);
  if (slot < 0 || id == kNoId || (slot >= kItem && value.empty())) return false;
  cache.slot = static_cast<uint16_t>(slot);
  cache.id = id;
  cache.value = value;
  return true;
}

// Gives itself when it is found in a class.
bool Inert(Value v) {
  return !v.empty() && !Is(v, Type::kFunction) && !Is(v, Type::kNative) &&
         !Is(v, Type::kDescriptor) && !Is(v, Type::kMember) && !HasMethods(v);
}

// Remembers what a class holds, and sees to it that the class does not change it unseen.
void RememberHeld(Vm& vm, const Instruction* word, uint32_t id, Class* cls, String* name,
                  Value value) {
  for (uint32_t i = 0; i < cls->mro_count; ++i) {
    Class* holder = cls->mro[i];
    if (vm.DictFindString(holder->attributes, name) == nullptr) continue;
    if (holder->changing && Inert(value)) return;
    if (Remember(word, id, kNoSelf, value) && !holder->builtin) holder->remembered = true;
    return;
  }
}

bool Special(const String* name) {
  return name->view().starts_with("__");
}

int64_t ModuleSlot(Vm& vm, Module* module, String* name) {
  Value* slot = vm.DictFindString(module->index, name);
  return slot == nullptr || module->slots[slot->AsSmallInt()].value.empty() ||
                 slot->AsSmallInt() >= kItem
             ? -1
             : slot->AsSmallInt();
}

// An attribute of an instance, or of an object derived from a built-in one.
void RememberSlot(Vm& vm, Value v, Class* cls, Shape* shape, String* name,
                  const Instruction* word) {
  if (cls->has_getattribute || shape->dictionary()) return;
  const Value found = vm.FindInClass(cls, name);
  if (Is(found, Type::kMember)) {
    if (vm.IsSubclass(cls, As<Member>(found)->owner))
      Remember(word, shape->id, As<Member>(found)->slot(), Value());
    return;
  }
  if (IsExact(found, Type::kDescriptor) &&
      As<Descriptor>(found)->kind() == DescriptorKind::kProperty) {
    const Value get = As<Descriptor>(found)->get;
    const CodeObject* getter = Is(get, Type::kFunction) ? As<Function>(get)->code : nullptr;
    if (getter != nullptr && getter->simple && getter->positional == 1)
      Remember(word, shape->id, kProperty, get);
    if (GetsItem(vm, get) && Is(v, Type::kTuple)) Remember(word, shape->id, kItem, get);
    return;
  }
  if (!found.empty() && vm.IsDataDescriptor(found)) return;
  const int64_t slot = FindSlot(vm, shape, name);
  if (slot >= 0) {
    Remember(word, shape->id, slot, Value());
  } else if (Inert(found) && !Special(name)) {
    RememberHeld(vm, word, shape->id, cls, name, found);
  }
}

void RememberLoad(Vm& vm, Value v, String* name, const Instruction* word) {
  Class* cls = vm.ClassOf(v);
  if (Is(v, Type::kModule)) {
    Remember(word, As<Module>(v)->id, ModuleSlot(vm, As<Module>(v), name), Value());
  } else if (Is(v, Type::kClass)) {
    const Value found = Special(name) ? Value() : vm.FindInClass(As<Class>(v), name);
    const bool self = Inert(found) || Is(found, Type::kFunction);
    if (cls->has_getattribute || !self || vm.IsDataDescriptor(vm.FindInClass(cls, name))) return;
    RememberHeld(vm, word, As<Class>(v)->id, As<Class>(v), name, found);
  } else if (Is(v, Type::kInstance)) {
    RememberSlot(vm, v, cls, As<Instance>(v)->shape, name, word);
  } else if (Derived(v)) {
    RememberSlot(vm, v, cls, ExtensionOf(v.object())->shape, name, word);
  }
}

// What the words remember of an object that they fit; empty: nothing, or more is to be done.
Value Remembered(Value v, const AttributeCache& cache) {
  if (cache.slot == kNoSelf) return cache.value;
  if (cache.slot == kItem) {
    const uint32_t at = As<Member>(cache.value)->slot();
    return at < As<Tuple>(v)->size ? As<Tuple>(v)->items[at] : Value();
  }
  Slots s;
  return cache.slot == kProperty || !SlotsOf(v.object(), &s) ? Value() : (*s.slots)[cache.slot];
}

}  // namespace

uint32_t DerivedId(Object* object) {
  return ExtensionOf(object)->shape->id;
}

Value LoadAttribute(Vm& vm, Value v, String* name, const Instruction* word) {
  const bool shaped = Is(v, Type::kInstance) || Derived(v);
  const uint32_t id = shaped ? ReceiverId(vm, v) : kNoId;
  if (shaped && (CacheAt(word).id == id || Recall(vm, word, id))) {
    const Value found = Remembered(v, CacheAt(word));
    if (!found.empty()) return found;
  }
  const Value found = vm.GetAttribute(v, name);
  if (!found.empty() && v.IsObject()) RememberLoad(vm, v, name, word);
  if (shaped && !found.empty()) Keep(vm, word, id);
  return found;
}

bool StoreAttribute(Vm& vm, Value v, String* name, Value value, const Instruction* word) {
  Class* cls = vm.ClassOf(v);
  if (!Is(v, Type::kInstance) || cls->has_setattr || Special(name))
    return vm.SetAttribute(v, name, value);
  auto* instance = As<Instance>(v);
  Shape* before = instance->shape;
  const uint32_t id = before->id;
  if (Recall(vm, word, id)) {
    const AttributeCache& cache = CacheAt(word);
    if (cache.slot < instance->capacity()) {
      instance->slots[cache.slot] = value;
      if (cache.shape != nullptr) instance->shape = cache.shape;
      return true;
    }
  }
  const Value in_class = vm.FindInClass(cls, name);
  if (!vm.SetAttribute(v, name, value)) return false;
  if (before->dictionary() || before->id != id) return true;
  if (Is(in_class, Type::kMember)) {
    if (vm.IsSubclass(cls, As<Member>(in_class)->owner))
      Remember(word, id, in_class.object()->aux, Value());
    CacheAt(word).shape = nullptr;
    Keep(vm, word, id);
    return true;
  }
  if (!cls->takes_dict || (!in_class.empty() && vm.IsDataDescriptor(in_class))) return true;
  Shape* after = instance->shape;
  const bool adds = after != before;
  if (adds && (after->parent != before || after->name != name)) return true;
  if (Remember(word, id, adds ? int64_t{after->count} - 1 : FindSlot(vm, before, name), Value()))
    CacheAt(word).shape = adds ? after : nullptr;
  Keep(vm, word, id);
  return true;
}

bool LoadMethod(Vm& vm, Value v, String* name, Value* function, Value* self,
                const Instruction* word) {
  const uint32_t id = ReceiverId(vm, v);
  const bool shaped = Is(v, Type::kInstance) || Derived(v);
  if (shaped && Recall(vm, word, id)) {
    *function = CacheAt(word).value;
    *self = CacheAt(word).slot == kWithSelf ? v : Value();
    return true;
  }
  if (!vm.GetMethod(v, name, function, self)) return false;
  if (id == 0) return true;
  if (Is(v, Type::kModule)) {
    Remember(word, id, ModuleSlot(vm, As<Module>(v), name), Value());
  } else if (Is(v, Type::kClass)) {
    Class* meta = vm.ClassOf(v);
    const Value found = Special(name) ? Value() : vm.FindInClass(As<Class>(v), name);
    if (found.empty() || meta->has_getattribute || meta->has_getattr ||
        vm.IsDataDescriptor(vm.FindInClass(meta, name)))
      return true;
    if (Is(found, Type::kFunction) || Inert(found)) {
      RememberHeld(vm, word, id, As<Class>(v), name, found);
    } else if (IsExact(found, Type::kDescriptor) &&
               As<Descriptor>(found)->kind() != DescriptorKind::kProperty) {
      const Value inner = As<Descriptor>(found)->get;
      const bool bare = As<Descriptor>(found)->kind() == DescriptorKind::kStaticMethod;
      if (bare || Is(inner, Type::kFunction)) Remember(word, id, bare ? kNoSelf : kWithSelf, inner);
    }
  } else if (!self->empty()) {
    if (ReceiverId(vm, v) != id) return true;  // finding it changed the class
    Remember(word, id, kWithSelf, *function);
    if (shaped) Keep(vm, word, id);
  }
  return true;
}

}  // namespace ferry::vm
