#include "device-runtime/vm/exec/classes/shape.h"

#include <algorithm>
#include <cstring>

namespace ferry::vm {
namespace {

Shape* NewShape(Vm& vm, Class* cls, Shape* parent, String* name, uint32_t count) {
  auto* shape = Cast<Shape>(vm.heap.NewObject(Type::kShape, sizeof(Shape)));
  if (shape == nullptr) {
    vm.OutOfMemory();
    return nullptr;
  }
  shape->cls = cls;
  shape->parent = parent;
  shape->name = name;
  shape->count = count;
  shape->id = vm.NewId();
  return shape;
}

// The shape with one attribute more; nullptr with nothing pending when the class has enough shapes.
Shape* Child(Vm& vm, Shape* shape, String* name) {
  if (shape->child != nullptr && shape->child->name == name) return shape->child;
  if (shape->children != nullptr) {
    Value* found = vm.DictFindString(shape->children, name);
    if (found != nullptr) return As<Shape>(*found);
  }
  Shape* root = shape;
  while (root->parent != nullptr) root = root->parent;
  if (root->made >= kMaxShapes || shape->count - root->count >= kMaxShapeSlots) return nullptr;
  ++root->made;
  Shape* child = NewShape(vm, shape->cls, shape, name, shape->count + 1);
  if (child == nullptr) return nullptr;
  if (shape->child == nullptr) {
    shape->child = child;
    return child;
  }
  if (shape->children == nullptr) {
    const Value dict = vm.NewDict();
    if (dict.empty()) return nullptr;
    shape->children = As<Dict>(dict);
  }
  return vm.DictSet(shape->children, Value::Of(name), Value::Of(child)) ? child : nullptr;
}

bool GrowSlots(Vm& vm, const Slots& s, uint32_t count) {
  if (count <= *s.capacity) return true;
  const uint32_t capacity = std::max(count, std::max<uint32_t>(*s.capacity * 2, 4));
  auto* slots = static_cast<Value*>(vm.heap.NewBuffer(capacity * sizeof(Value)));
  if (slots == nullptr) {
    vm.OutOfMemory();
    return false;
  }
  const uint32_t used = *s.shape == nullptr ? 0 : (*s.shape)->count;
  for (uint32_t i = 0; i < capacity; ++i) slots[i] = i < used ? (*s.slots)[i] : Value();
  if (*s.slots != s.inlined) vm.heap.FreeBuffer(*s.slots, *s.capacity * sizeof(Value));
  *s.slots = slots;
  *s.capacity = capacity;
  return true;
}

bool EnsureShape(Vm& vm, const Slots& s, Class* cls) {
  if (*s.shape != nullptr) return true;
  Shape* root = vm.RootShape(cls);
  if (root == nullptr || !GrowSlots(vm, s, root->count)) return false;
  *s.shape = root;
  return true;
}

Dict* DictOf(const Slots& s) {
  return As<Dict>((*s.slots)[(*s.shape)->count - 1]);
}

void RenewTree(Vm& vm, Shape* shape) {
  if (!shape->dictionary()) shape->id = vm.NewId();
  if (shape->child != nullptr) RenewTree(vm, shape->child);
  if (shape->children == nullptr) return;
  for (uint32_t i = 0; i < shape->children->used; ++i)
    RenewTree(vm, As<Shape>(shape->children->entries[i].value));
}

}  // namespace

bool SlotsOf(Object* object, Slots* out) {
  switch (object->type) {
    case Type::kInstance: {
      auto* instance = Cast<Instance>(object);
      *out = {&instance->shape, &instance->slots, &instance->aux, instance->inline_slots};
      return true;
    }
    case Type::kException: {
      auto* exception = Cast<Exception>(object);
      *out = {&exception->shape, &exception->slots, &exception->aux, nullptr};
      return true;
    }
    default: {
      if (!object->derived) return false;
      Extension* extension = ExtensionOf(object);
      *out = {&extension->shape, &extension->slots, &extension->capacity, nullptr};
      return true;
    }
  }
}

Shape* Vm::RootShape(Class* cls) {
  if (cls->shape != nullptr) return cls->shape;
  Shape** place = cls->builtin ? &builtin_shapes[cls] : &cls->shape;
  if (*place == nullptr) *place = NewShape(*this, cls, nullptr, nullptr, cls->members);
  return *place;
}

int64_t FindSlot(Vm& vm, Shape* shape, const String* name) {
  const size_t at =
      ((reinterpret_cast<uintptr_t>(shape) >> 4) * 31 ^ reinterpret_cast<uintptr_t>(name) >> 4) %
      Vm::kSlotCacheLines;
  Vm::SlotCacheLine& line = vm.slot_cache[at];
  if (line.shape == shape && line.name == name) return line.slot;
  int64_t slot = -1;
  for (const Shape* s = shape; s->parent != nullptr; s = s->parent) {
    if (s->name != name) continue;
    slot = s->count - 1;
    break;
  }
  line = {shape, name, slot};
  return slot;
}

Value GetSlot(Vm& vm, const Slots& s, String* name) {
  if (*s.shape == nullptr) return Value();
  if ((*s.shape)->dictionary()) {
    Value* found = vm.DictFindString(DictOf(s), name);
    return found == nullptr ? Value() : *found;
  }
  const int64_t slot = FindSlot(vm, *s.shape, name);
  return slot < 0 ? Value() : (*s.slots)[slot];
}

bool SetSlot(Vm& vm, const Slots& s, Class* cls, String* name, Value value) {
  if (!EnsureShape(vm, s, cls)) return false;
  if (!(*s.shape)->dictionary()) {
    const int64_t slot = FindSlot(vm, *s.shape, name);
    if (slot >= 0) {
      (*s.slots)[slot] = value;
      return true;
    }
    Shape* child = Child(vm, *s.shape, name);
    if (child != nullptr) {
      if (!GrowSlots(vm, s, child->count)) return false;
      (*s.slots)[child->count - 1] = value;
      *s.shape = child;
      if (!cls->builtin && child->count > cls->field_hint && child->count <= kMaxInlineSlots)
        cls->field_hint = static_cast<uint16_t>(child->count);
      return true;
    }
    if (vm.failed()) return false;
  }
  Dict* dict = SlotsDict(vm, s, cls);
  return dict != nullptr && vm.DictSet(dict, Value::Of(name), value);
}

bool DeleteSlot(Vm& vm, const Slots& s, String* name, bool* found) {
  *found = false;
  if (*s.shape == nullptr) return true;
  if (!(*s.shape)->dictionary()) {
    const int64_t slot = FindSlot(vm, *s.shape, name);
    if (slot < 0) return true;
    if ((*s.shape)->name == name) {  // the last one
      *found = true;
      (*s.slots)[slot] = Value();
      *s.shape = (*s.shape)->parent;
      return true;
    }
  }
  Dict* dict = SlotsDict(vm, s, (*s.shape)->cls);
  if (dict == nullptr) return false;
  *found = !vm.DictRemove(dict, Value::Of(name)).empty();
  return !vm.failed();
}

Dict* SlotsDict(Vm& vm, const Slots& s, Class* cls) {
  if (!EnsureShape(vm, s, cls)) return nullptr;
  Shape* shape = *s.shape;
  if (shape->dictionary()) return DictOf(s);
  Shape* root = shape;
  while (root->parent != nullptr) root = root->parent;
  if (root->no_more == nullptr) {
    root->no_more = NewShape(vm, shape->cls, nullptr, nullptr, root->count + 1);
    if (root->no_more == nullptr) return nullptr;
    root->no_more->aux = static_cast<uint32_t>(ShapeKind::kDictionary);
    root->no_more->id = kNoId;
  }
  const Value dict = vm.NewDict();
  if (dict.empty()) return nullptr;
  std::vector<String*> names(shape->count - root->count);  // at most kMaxShapeSlots
  for (Shape* one = shape; one != root; one = one->parent)
    names[one->count - root->count - 1] = one->name;
  for (size_t i = 0; i < names.size(); ++i)
    if (!vm.DictSet(As<Dict>(dict), Value::Of(names[i]), (*s.slots)[root->count + i]))
      return nullptr;
  if (!GrowSlots(vm, s, root->count + 1)) return nullptr;
  (*s.slots)[root->count] = dict;
  *s.shape = root->no_more;
  return As<Dict>(dict);
}

bool ChangeClass(Vm& vm, Value v, Class* cls) {
  Slots s;
  if (!SlotsOf(v.object(), &s) || cls->builtin) return false;
  Class* old = vm.ClassOf(v);
  Roots roots(vm);
  roots.Add(v);
  const bool has_dict = old->takes_dict;
  Dict* dict = has_dict ? SlotsDict(vm, s, old) : nullptr;
  if (has_dict && dict == nullptr) return false;
  Shape* root = vm.RootShape(cls);
  if (root == nullptr || !GrowSlots(vm, s, root->count + 1)) return false;
  if (Is(v, Type::kException)) As<Exception>(v)->cls = cls;
  *s.shape = root;
  if (dict == nullptr || SlotsDict(vm, s, cls) == nullptr) return !vm.failed();
  (*s.slots)[root->count] = Value::Of(dict);
  return true;
}

// Of a class with methods that wait for a derived class.
static Value AbstractInstance(Vm& vm, Class* cls) {
  Roots roots(vm);
  String* name = vm.Intern("__abstractmethods__");
  const Value found = name == nullptr ? Value() : vm.FindInClass(cls, name);
  const Value list = found.empty() ? found : roots.Add(vm.ToList(found));
  if (list.empty()) return Value();
  std::vector<std::string_view> names;
  for (uint32_t i = 0; i < As<List>(list)->size; ++i)
    if (IsStr(As<List>(list)->items[i])) names.push_back(Text(As<List>(list)->items[i]));
  std::sort(names.begin(), names.end());
  std::string text;
  for (std::string_view one : names) text += (text.empty() ? "" : ", ") + std::string(one);
  return vm.Throw(Error::kTypeError,
                  "Can't instantiate abstract class {} with abstract method{} {}",
                  cls->name->view(), names.size() == 1 ? "" : "s", text);
}

Value NewInstance(Vm& vm, Class* cls) {
  if (cls->abstract) return AbstractInstance(vm, cls);
  Shape* root = cls->shape != nullptr ? cls->shape : vm.RootShape(cls);
  if (root == nullptr) return Value();
  // Odd: with the header and two pointers before them they fill 16-byte granules.
  const uint32_t capacity = std::max<uint32_t>(cls->field_hint, root->count) | 1;
  auto* instance = Cast<Instance>(
      vm.heap.NewObject(Type::kInstance, sizeof(Instance) + (capacity - 1) * sizeof(Value)));
  if (instance == nullptr) return vm.OutOfMemory();
  instance->aux = capacity;
  instance->shape = root;
  instance->slots = instance->inline_slots;
  for (uint32_t i = 0; i < root->count; ++i) instance->inline_slots[i] = Value();
  if (cls->has_del && !vm.Track(instance)) return Value();
  return Value::Of(instance);
}

void RenewIds(Vm& vm, Class* cls) {
  for (Class* one : vm.script_classes) {
    if (!vm.IsSubclass(one, cls)) continue;
    one->id = vm.NewId();
    one->instance_id = vm.NewId();
    if (one->shape != nullptr) RenewTree(vm, one->shape);
  }
  for (Vm::MethodCacheLine& line : vm.method_cache) line = {};
}

}  // namespace ferry::vm
