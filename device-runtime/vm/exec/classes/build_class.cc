// The class statement: bases, metaclass, namespace, body, class.
#include "device-runtime/vm/exec/classes/build_class.h"

namespace ferry::vm {

// Bases that are no classes may say which classes they stand for.
static Value ResolveBases(Vm& vm, Value bases) {
  bool plain = true;
  for (uint32_t i = 0; i < As<Tuple>(bases)->size; ++i)
    plain = plain && Is(As<Tuple>(bases)->items[i], Type::kClass);
  if (plain) return bases;
  Roots roots(vm);
  const Value list = roots.Add(vm.NewList(nullptr, 0));
  if (list.empty()) return list;
  for (uint32_t i = 0; i < As<Tuple>(bases)->size; ++i) {
    const Value base = As<Tuple>(bases)->items[i];
    bool found = false;
    if (IsExact(base, Type::kAlias) && As<Alias>(base)->kind() == AliasKind::kGeneric) {
      if (!vm.Append(As<List>(list), As<Alias>(base)->origin)) return Value();
      continue;
    }
    const Value asked =
        Is(base, Type::kClass) ? Value() : vm.GetAttributeOrEmpty(base, vm.names.mro_entries);
    if (vm.failed()) return Value();
    found = !asked.empty();
    const Value entries = found ? vm.Call(roots.Add(asked), &bases, 1) : Value();
    if (found) {
      if (entries.empty()) return entries;
      if (!Is(entries, Type::kTuple))
        return vm.Raise(Error::kTypeError, "__mro_entries__ must return a tuple");
    }
    if (!(found ? vm.Extend(As<List>(list), entries) : vm.Append(As<List>(list), base)))
      return Value();
  }
  return vm.NewTuple(As<List>(list)->items, As<List>(list)->size);
}

// The class of the class: metaclass= or the most derived of the classes of the bases.
static Value MetaOf(Vm& vm, Value bases, Value keywords) {
  Value meta;
  if (!keywords.empty()) {
    meta = vm.DictRemove(As<Dict>(keywords), Value::Of(vm.names.metaclass));
    if (!meta.empty() && !Is(meta, Type::kClass)) return meta;
  }
  if (meta.empty()) {
    meta = Value::Of(vm.classes[kTypeClass]);
    if (As<Tuple>(bases)->size > 0) meta = Value::Of(vm.ClassOf(As<Tuple>(bases)->items[0]));
  }
  for (uint32_t i = 0; i < As<Tuple>(bases)->size; ++i) {
    Class* other = vm.ClassOf(As<Tuple>(bases)->items[i]);
    if (vm.IsSubclass(As<Class>(meta), other)) continue;
    if (!vm.IsSubclass(other, As<Class>(meta)))
      return vm.Raise(Error::kTypeError,
                      "metaclass conflict: the metaclass of a derived class must be a (non-strict) "
                      "subclass of the metaclasses of all its bases");
    meta = Value::Of(other);
  }
  return meta;
}

static Value Prepare(Vm& vm, Value meta, String* name, Value bases, Value keywords) {
  if (meta == Value::Of(vm.classes[kTypeClass])) return vm.NewDict();
  Roots roots(vm);
  const Value prepare = vm.GetAttributeOrEmpty(meta, vm.names.prepare);
  if (prepare.empty()) return vm.failed() ? prepare : vm.NewDict();
  roots.Add(prepare);
  const Value items[] = {Value::Of(name), bases};
  const Value list = roots.Add(vm.NewList(items, 2));
  const Value none = keywords.empty() ? roots.Add(vm.NewDict()) : keywords;
  if (list.empty() || none.empty()) return Value();
  const Value space = vm.CallSpread(prepare, list, none);
  if (space.empty() || Is(space, Type::kDict)) return space;
  return vm.Throw(Error::kTypeError, "{}.__prepare__() must return a mapping, not {}",
                  As<Class>(meta)->name->view(), vm.TypeName(space));
}

Value BuildClass(Vm& vm, String* name, Value bases, Value body, Value keywords) {
  Roots roots(vm);
  const Value original = bases;
  for (Value v : {bases, body, keywords}) roots.Add(v);
  bases = roots.Add(ResolveBases(vm, bases));
  const Value meta = bases.empty() ? bases : roots.Add(MetaOf(vm, bases, keywords));
  if (meta.empty()) return meta;
  const Value space = roots.Add(Prepare(vm, meta, name, bases, keywords));
  if (space.empty()) return space;
  const CodeObject* code = As<Function>(body)->code;
  if (!vm.SetIndex(space, Value::Of(vm.names.module), Value::Of(code->module->name)) ||
      !vm.SetIndex(space, Value::Of(vm.names.qualname), Value::Of(code->qualified_name)))
    return Value();
  if (vm.Call(body, &space, 1).empty()) return Value();
  if (bases != original && !vm.SetIndex(space, vm.NewString("__orig_bases__"), original))
    return Value();
  if (meta == Value::Of(vm.classes[kTypeClass]))
    return vm.MakeClass(As<Class>(meta), Value::Of(name), bases, As<Dict>(space),
                        keywords.empty() ? nullptr : As<Dict>(keywords));
  const Value items[] = {Value::Of(name), bases, space};
  const Value list = roots.Add(vm.NewList(items, 3));
  const Value none = keywords.empty() ? roots.Add(vm.NewDict()) : keywords;
  return list.empty() || none.empty() ? Value() : vm.CallSpread(meta, list, none);
}

}  // namespace ferry::vm
