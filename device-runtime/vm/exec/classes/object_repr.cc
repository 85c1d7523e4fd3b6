// repr() of functions, classes, instances, views and their like.
#include "device-runtime/vm/exec/classes/special.h"

namespace ferry::vm {
namespace {

std::string ClassName(const Class* cls) {
  if (cls->module_name == nullptr || cls->module_name->view() == "builtins")
    return std::string(cls->qualified_name->view());
  return fmt::format("{}.{}", cls->module_name->view(), cls->qualified_name->view());
}

std::string_view FunctionName(const Function* function) {
  return function->qualified_name != nullptr ? function->qualified_name->view()
                                             : function->code->qualified_name->view();
}

std::string NativeText(const Native* native) {
  if (native->owner == nullptr) return fmt::format("<built-in function {}>", native->name);
  return fmt::format("<{} '{}' of '{}' objects>", native->wrapper ? "slot wrapper" : "method",
                     native->name, native->owner->name->view());
}

bool MethodText(Vm& vm, BoundMethod* method, std::string* out) {
  if (Is(method->function, Type::kNative)) {
    const auto* native = As<Native>(method->function);
    if (native->wrapper) {
      *out += fmt::format("<method-wrapper '{}' of {} object at {:#x}>", native->name,
                          vm.TypeName(method->self), vm.Identity(method->self));
    } else {
      *out += fmt::format("<built-in method {} of {} object at {:#x}>", native->name,
                          vm.TypeName(method->self), vm.Identity(method->self));
    }
    return true;
  }
  *out += fmt::format("<bound method {} of ", Is(method->function, Type::kFunction)
                                                  ? FunctionName(As<Function>(method->function))
                                                  : "?");
  if (!vm.Repr(method->self, out)) return false;
  *out += ">";
  return true;
}

bool ViewText(Vm& vm, Value v, std::string* out) {
  static constexpr const char* kNames[] = {"dict_keys", "dict_values", "dict_items",
                                           "mappingproxy"};
  Roots roots(vm);
  const Value shown =
      As<View>(v)->kind() == ViewKind::kProxy ? As<View>(v)->source : roots.Add(vm.ToList(v));
  if (shown.empty()) return false;
  const Value source = As<View>(v)->source;
  for (const Class* cls = vm.ClassOf(source); Derived(source) && !cls->builtin; cls = cls->mro[1])
    if (cls->name->view() == "OrderedDict" &&
        As<View>(v)->kind() != ViewKind::kProxy) {  // a class of its own there
      *out += 'o';
      break;
    }
  *out += fmt::format("{}(", kNames[static_cast<size_t>(As<View>(v)->kind())]);
  if (!vm.Repr(shown, out)) return false;
  *out += ")";
  return true;
}

bool AliasPart(Vm& vm, Value v, bool in_union, std::string* out) {
  if (v == vm.ellipsis) {
    *out += "...";
  } else if (in_union && v == Value::Of(vm.classes[kNoneClass])) {
    *out += "None";
  } else if (Is(v, Type::kClass)) {
    *out += ClassName(As<Class>(v));
  } else if (Is(v, Type::kList)) {
    *out += "[";
    for (uint32_t i = 0; i < As<List>(v)->size; ++i) {
      if (i > 0) *out += ", ";
      if (!AliasPart(vm, As<List>(v)->items[i], false, out)) return false;
    }
    *out += "]";
  } else {
    return vm.Repr(v, out);
  }
  return true;
}

bool AliasText(Vm& vm, Alias* alias, std::string* out) {
  const bool in_union = alias->kind() == AliasKind::kUnion;
  if (!in_union) {
    if (!AliasPart(vm, alias->origin, false, out)) return false;
    *out += "[";
  }
  auto* args = As<Tuple>(alias->args);
  for (uint32_t i = 0; i < args->size; ++i) {
    if (i > 0) *out += in_union ? " | " : ", ";
    if (!AliasPart(vm, args->items[i], in_union, out)) return false;
  }
  if (!in_union) *out += args->size == 0 ? "()]" : "]";
  return true;
}

}  // namespace

bool ObjectText(Vm& vm, Value v, std::string* out, bool* handled) {
  *handled = true;
  switch (v.object()->type) {
    case Type::kFunction:
      *out += fmt::format("<function {} at {:#x}>", FunctionName(As<Function>(v)), vm.Identity(v));
      return true;
    case Type::kNative:
      *out += NativeText(As<Native>(v));
      return true;
    case Type::kBoundMethod:
      return MethodText(vm, As<BoundMethod>(v), out);
    case Type::kClass:
      *out += fmt::format("<class '{}'>", ClassName(As<Class>(v)));
      return true;
    case Type::kMember:
      *out += fmt::format("<member '{}' of '{}' objects>", As<Member>(v)->name->view(),
                          As<Member>(v)->owner->name->view());
      return true;
    case Type::kView:
      return ViewText(vm, v, out);
    case Type::kAlias:
      return AliasText(vm, As<Alias>(v), out);
    case Type::kDescriptor:
      if (As<Descriptor>(v)->kind() != DescriptorKind::kProperty) {
        *out += fmt::format("<{}(", vm.TypeName(v));
        if (!vm.Repr(As<Descriptor>(v)->get, out)) return false;
        *out += ")>";
        return true;
      }
      *out += fmt::format("<{} object at {:#x}>", ClassName(vm.ClassOf(v)), vm.Identity(v));
      return true;
    case Type::kGenerator: {
      const Function* function = As<Generator>(v)->function;
      *out += fmt::format("<{} object {} at {:#x}>", ClassName(vm.ClassOf(v)),
                          FunctionName(function), vm.Identity(v));
      return true;
    }
    case Type::kSuper: {
      auto* super = As<Super>(v);
      *out += super->self.IsNone()
                  ? fmt::format("<super: <class '{}'>, NULL>", super->owner->name->view())
                  : fmt::format("<super: <class '{}'>, <{} object>>", super->owner->name->view(),
                                Is(super->self, Type::kClass) ? As<Class>(super->self)->name->view()
                                                              : vm.TypeName(super->self));
      return true;
    }
    case Type::kInstance:
    case Type::kNativeObject:
    case Type::kRecord:
    case Type::kCell:
    case Type::kIterator:
      *out += fmt::format("<{} object at {:#x}>", ClassName(vm.ClassOf(v)), vm.Identity(v));
      return true;
    default:
      *handled = false;
      return true;
  }
}

}  // namespace ferry::vm
