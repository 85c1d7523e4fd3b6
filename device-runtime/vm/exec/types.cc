// Classes: the built-in ones, lookup along the method resolution order, making new ones.
#include <algorithm>

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

Class* Vm::ClassOf(Value v) {
  if (v.IsObject()) {
    Object* object = v.object();
    switch (object->type) {
      case Type::kInstance:
      case Type::kException:
        return static_cast<Instance*>(object)->cls;
      case Type::kNativeObject:
        return static_cast<NativeObject*>(object)->cls;
      case Type::kBigInt:
        return classes[kIntClass];
      case Type::kClass:
        return classes[kTypeClass];
      default:
        return classes[static_cast<int>(object->type)];
    }
  }
  if (v.IsSmallInt()) return classes[kIntClass];
  if (v.IsFloat()) return classes[kFloatClass];
  if (v.IsBool()) return classes[kBoolClass];
  return classes[kNoneClass];
}

std::string Vm::TypeName(Value v) {
  return std::string(ClassOf(v)->name->view());
}

Value Vm::FindInClass(Class* cls, String* name) {
  const size_t at =
      ((reinterpret_cast<uintptr_t>(cls) >> 4) * 31 ^ reinterpret_cast<uintptr_t>(name) >> 4) %
      kMethodCacheLines;
  MethodCacheLine& line = method_cache[at];
  if (line.cls == cls && line.name == name) return line.value;
  Value found;
  for (uint32_t i = 0; i < cls->mro_count; ++i) {
    Value* value = DictFindString(cls->mro[i]->attributes, name);
    if (value != nullptr) {
      found = *value;
      break;
    }
  }
  line = {cls, name, found};
  return found;
}

bool Vm::IsSubclass(Class* cls, Class* base) {
  for (uint32_t i = 0; i < cls->mro_count; ++i)
    if (cls->mro[i] == base) return true;
  return false;
}

Class* Vm::NewClass(std::string_view name, Class* base, Type layout) {
  auto* cls = static_cast<Class*>(heap.NewObject(Type::kClass, sizeof(Class)));
  if (cls == nullptr) {
    OutOfMemory();
    return nullptr;
  }
  cls->name = Intern(name);
  Value attributes = NewDict();
  if (cls->name == nullptr || attributes.empty()) return nullptr;
  cls->attributes = As<Dict>(attributes);
  cls->layout = layout;
  cls->builtin = true;
  const uint32_t count = base == nullptr ? 1 : base->mro_count + 1;
  cls->mro = static_cast<Class**>(heap.NewBuffer(count * sizeof(Class*)));
  if (cls->mro == nullptr) {
    OutOfMemory();
    return nullptr;
  }
  cls->mro_count = count;
  cls->mro[0] = cls;
  for (uint32_t i = 1; i < count; ++i) cls->mro[i] = base->mro[i - 1];
  return cls;
}

namespace {

// C3 linearization; empty when the bases contradict each other.
std::vector<Class*> Linearize(const std::vector<Class*>& bases) {
  std::vector<std::vector<Class*>> lists;
  for (Class* base : bases) lists.emplace_back(base->mro, base->mro + base->mro_count);
  lists.push_back(bases);
  std::vector<Class*> out;
  for (;;) {
    std::erase_if(lists, [](const auto& list) { return list.empty(); });
    if (lists.empty()) return out;
    Class* next = nullptr;
    for (const auto& list : lists) {
      const bool in_tail = std::any_of(lists.begin(), lists.end(), [&](const auto& other) {
        return std::find(other.begin() + 1, other.end(), list[0]) != other.end();
      });
      if (!in_tail) {
        next = list[0];
        break;
      }
    }
    if (next == nullptr) return {};
    out.push_back(next);
    for (auto& list : lists)
      if (list[0] == next) list.erase(list.begin());
  }
}

}  // namespace

Value Vm::MakeClass(String* name, Value bases_value, Dict* attributes, Module* module) {
  std::vector<Class*> bases;
  auto* tuple = As<Tuple>(bases_value);
  if (tuple->size > 100) return Raise(Error::kTypeError, "too many base classes");
  Type layout = Type::kInstance;
  for (uint32_t i = 0; i < tuple->size; ++i) {
    Value base = tuple->items[i];
    if (!Is(base, Type::kClass))
      return Throw(Error::kTypeError, "bases must be classes, not '{}'", TypeName(base));
    auto* cls = As<Class>(base);
    if (cls->layout != Type::kInstance && cls->layout != Type::kException)
      return Throw(Error::kTypeError, "type '{}' is not an acceptable base type",
                   cls->name->view());
    if (cls->layout == Type::kException) layout = Type::kException;
    bases.push_back(cls);
  }
  if (bases.empty()) bases.push_back(classes[kObjectClass]);
  std::vector<Class*> mro = Linearize(bases);
  if (mro.empty())
    return Raise(Error::kTypeError, "cannot create a consistent method resolution order");
  if (mro.size() > 100) return Raise(Error::kTypeError, "too many base classes");
  auto* cls = static_cast<Class*>(heap.NewObject(Type::kClass, sizeof(Class)));
  if (cls == nullptr) return OutOfMemory();
  cls->name = name;
  cls->attributes = attributes;
  cls->layout = layout;
  cls->module_name = module->name;
  cls->mro = static_cast<Class**>(heap.NewBuffer((mro.size() + 1) * sizeof(Class*)));
  if (cls->mro == nullptr) return OutOfMemory();
  cls->mro_count = static_cast<uint32_t>(mro.size()) + 1;
  cls->mro[0] = cls;
  for (size_t i = 0; i < mro.size(); ++i) cls->mro[i + 1] = mro[i];
  for (uint32_t i = 0; i < attributes->used; ++i) {
    Value v = attributes->entries[i].value;
    if (Is(v, Type::kDescriptor)) v = As<Descriptor>(v)->get;
    if (Is(v, Type::kFunction) && As<Function>(v)->owner.empty())
      As<Function>(v)->owner = Value::Of(cls);
  }
  cls->has_getattr =
      !FindInClass(cls, names.getattr).empty() || !FindInClass(cls, names.setattr).empty();
  return Value::Of(cls);
}

}  // namespace ferry::vm
