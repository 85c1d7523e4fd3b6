#include "device-runtime/vm/exec/special.h"

namespace ferry::vm {
namespace {

Value OrNone(Value v) {
  return v.empty() ? Value::None() : v;
}

}  // namespace

Value SpecialAttribute(Vm& vm, Value v, String* name) {
  const auto& n = vm.names;
  if (name == n.class_) return Value::Of(vm.ClassOf(v));
  if (name == n.doc) return Value::None();
  if (!v.IsObject()) return Value();
  switch (v.object()->type) {
    case Type::kClass: {
      auto* cls = As<Class>(v);
      if (name == n.name || name->view() == "__qualname__") return Value::Of(cls->name);
      if (name->view() == "__module__")
        return cls->module_name == nullptr ? vm.NewString("builtins") : Value::Of(cls->module_name);
      if (name->view() == "__mro__" || name->view() == "__bases__") {
        Value tuple =
            vm.NewTuple(nullptr, name->view() == "__mro__" ? cls->mro_count : cls->mro_count > 1);
        if (tuple.empty()) return tuple;
        for (uint32_t i = 0; i < As<Tuple>(tuple)->size; ++i)
          As<Tuple>(tuple)->items[i] = Value::Of(cls->mro[name->view() == "__mro__" ? i : i + 1]);
        return tuple;
      }
      if (name == n.dict) {  // a copy: what a class holds changes by setting its attributes only
        const Value copy = vm.NewDict();
        return !copy.empty() && vm.DictMerge(As<Dict>(copy), Value::Of(cls->attributes), false)
                   ? copy
                   : Value();
      }
      return Value();
    }
    case Type::kException: {
      auto* exception = As<Exception>(v);
      if (name == n.args) return exception->args;
      if (name == n.cause) return OrNone(exception->cause);
      if (name == n.context) return OrNone(exception->context);
      if (name == n.value &&
          vm.IsSubclass(exception->cls, vm.errors[static_cast<int>(Error::kStopIteration)]))
        return As<Tuple>(exception->args)->size > 0 ? As<Tuple>(exception->args)->items[0]
                                                    : Value::None();
      [[fallthrough]];
    }
    case Type::kInstance: {
      if (name != n.dict) return Value();
      auto* instance = As<Instance>(v);
      if (instance->attributes == nullptr) {
        Value dict = vm.NewDict();
        if (dict.empty()) return dict;
        instance->attributes = As<Dict>(dict);
      }
      return Value::Of(instance->attributes);
    }
    case Type::kFunction:
      if (name == n.name) return Value::Of(As<Function>(v)->code->name);
      if (name->view() == "__qualname__") return Value::Of(As<Function>(v)->code->qualified_name);
      return Value();
    case Type::kNative:
      return name == n.name ? vm.NewString(As<Native>(v)->name) : Value();
    case Type::kBoundMethod:
      if (name->view() == "__self__") return As<BoundMethod>(v)->self;
      if (name->view() == "__func__") return As<BoundMethod>(v)->function;
      return SpecialAttribute(vm, As<BoundMethod>(v)->function, name);
    case Type::kSlice:
      if (name->view() == "start") return As<Slice>(v)->start;
      if (name->view() == "stop") return As<Slice>(v)->stop;
      if (name->view() == "step") return As<Slice>(v)->step;
      return Value();
    case Type::kRange:
      if (name->view() == "start") return vm.NewInt(As<Range>(v)->start);
      if (name->view() == "stop") return vm.NewInt(As<Range>(v)->stop);
      if (name->view() == "step") return vm.NewInt(As<Range>(v)->step);
      return Value();
    case Type::kModule:
      if (name->view() == "__file__") return Value::Of(As<Module>(v)->file);
      return Value();
    default:
      return Value();
  }
}

}  // namespace ferry::vm
