#include "device-runtime/vm/lib/lib.h"

#include "device-runtime/vm/exec/failure/warnings.h"
#include "device-runtime/vm/lib/method.h"

namespace ferry::vm {

std::span<const LibModule> LibModules() {
  static constexpr LibModule kModules[] = {
#define FERRY_LIB_MODULE(name, Make) {#name, Make},
#include "device-runtime/vm/lib/modules/list.inc"
#undef FERRY_LIB_MODULE
  };
  return kModules;
}

bool InstallBuiltins(Vm& vm) {
  // Functions first: they make the classes of iterators, which types add methods to.
#define FERRY_LIB_FUNCTIONS(name, Install) \
  if (!Install(vm)) return false;
#include "device-runtime/vm/lib/functions/list.inc"
#undef FERRY_LIB_FUNCTIONS
#define FERRY_LIB_TYPE(name, Install) \
  if (!Install(vm)) return false;
#include "device-runtime/vm/lib/types/list.inc"
#undef FERRY_LIB_TYPE
  return true;
}

bool AddMethods(Vm& vm, Class* cls, std::span<const BuiltinRow> rows) {
  for (const BuiltinRow& row : rows) {
    Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty()) return false;
    if (std::string_view(row.name) ==
        "__new__") {  // see types/wrappers.cc for what scripts call so
      cls->maker = native;
      if (!AddNew(vm, cls)) return false;
      continue;
    }
    if (!vm.DictSetText(cls->attributes, row.name, native)) return false;
    // Scripts may call a method with any self: list.append(5, 1).
    As<Native>(native)->owner = cls;
  }
  return true;
}

namespace {

Value IterSelf(Vm&, Args& args) {
  return args[0];
}
Value NextOfRecord(Vm& vm, Args& args) {
  const Value v = As<Record>(args[0])->cls->next(vm, args[0]);
  if (v.empty() && !vm.failed()) vm.pending = vm.NewError(Error::kStopIteration);
  return v;
}
constexpr BuiltinRow kIteratorRows[] = {{"__iter__", IterSelf}, {"__next__", NextOfRecord, true}};

}  // namespace

Class* ClassOfRecord(Vm& vm, const RecordType& type) {
  auto found = vm.record_classes.find(&type);
  if (found != vm.record_classes.end()) return found->second;
  Class* cls = vm.NewClass(type.name, vm.classes[kObjectClass], Type::kRecord);
  if (cls == nullptr) return nullptr;
  cls->module_name = vm.Intern(type.module);
  cls->next = type.next;
  if (cls->module_name == nullptr || !AddMethods(vm, cls, type.rows) ||
      (type.next != nullptr && !AddMethods(vm, cls, kIteratorRows)))
    return nullptr;
  vm.record_classes[&type] = cls;
  return cls;
}

Record* AsRecord(Vm& vm, Value v, const RecordType& type) {
  if (!Is(v, Type::kRecord)) return nullptr;
  auto found = vm.record_classes.find(&type);
  return found != vm.record_classes.end() && vm.IsInstance(v, found->second) ? As<Record>(v)
                                                                             : nullptr;
}

Value MakeModule(Vm& vm, const char* name, std::span<const BuiltinRow> rows) {
  Module* module = vm.NewModule(name, "<built-in>");
  if (module == nullptr) return Value();
  for (const BuiltinRow& row : rows) {
    Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty() || !vm.SetVariable(module, row.name, native)) return Value();
  }
  return Value::Of(module);
}

namespace {

// "len", "list.append": the running built-in as messages of CPython name it.
std::string FullName(Vm& vm, const char* name) {
  const Native* native = vm.running;
  return native != nullptr && native->owner != nullptr &&
                 std::string_view(native->name) != "__new__"
             ? fmt::format("{}.{}", native->owner->name->view(), native->name)
             : name;
}

}  // namespace

bool NotExpected(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max) {
  if (args.keywords() == 0 && args.count >= min && args.count <= max) return true;
  const Native* native = vm.running;
  const bool maker = native != nullptr && std::string_view(native->name) == "__new__";
  const uint32_t self = native != nullptr && native->owner != nullptr && args.count > 0 && min > 0;
  const uint32_t given = args.count - self, least = min - self, most = max - self;
  if (args.keywords() > 0) {
    vm.Throw(Error::kTypeError, "{}() takes no keyword arguments", FullName(vm, name));
  } else if (most == 0) {
    vm.Throw(Error::kTypeError, "{}() takes no arguments ({} given)", FullName(vm, name), given);
  } else if (least == 1 && most == 1 && !maker) {
    vm.Throw(Error::kTypeError, "{}() takes exactly one argument ({} given)", FullName(vm, name),
             given);
  } else {
    const uint32_t bound = given < least ? least : most;
    vm.Throw(Error::kTypeError, "{} expected {}{} argument{}, got {}", name,
             least == most   ? ""
             : given < least ? "at least "
                             : "at most ",
             bound, bound == 1 ? "" : "s", given);
  }
  return false;
}

bool NotExpectedMethod(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max) {
  const uint32_t count = args.count == 0 ? 0 : args.count - 1;
  const auto cls = [&] {
    return args.count == 0 ? std::string_view("object") : vm.TypeName(args[0]);
  };
  if (args.keywords() > 0) {
    vm.Throw(Error::kTypeError, "{}.{}() takes no keyword arguments", cls(), name);
    return false;
  }
  if (count >= min && count <= max) return true;
  if (max == 0) {
    vm.Throw(Error::kTypeError, "{}.{}() takes no arguments ({} given)", cls(), name, count);
  } else if (min == 1 && max == 1) {
    vm.Throw(Error::kTypeError, "{}.{}() takes exactly one argument ({} given)", cls(), name,
             count);
  } else {
    const uint32_t bound = count < min ? min : max;
    vm.Throw(Error::kTypeError, "{} expected {}{} argument{}, got {}", name,
             min == max    ? ""
             : count < min ? "at least "
                           : "at most ",
             bound, bound == 1 ? "" : "s", count);
  }
  return false;
}

bool BindBuiltin(Vm& vm, const Args& args, const char* name, std::span<const char* const> names,
                 uint32_t required, uint32_t max_positional, Value* out) {
  const auto total = static_cast<uint32_t>(names.size());
  const uint32_t self = total > 0 && std::string_view(names[0]) == "self";
  if (args.count + args.keywords() > total) {
    vm.Throw(Error::kTypeError, "{}() takes {} {} argument{} ({} given)", name,
             required == total ? "exactly" : "at most", total - self, total - self == 1 ? "" : "s",
             args.count + args.keywords() - self);
    return false;
  }
  if (args.count > max_positional) {
    vm.Throw(Error::kTypeError, "{}() takes {} {} positional argument{} ({} given)", name,
             required >= max_positional ? "exactly" : "at most", max_positional - self,
             max_positional - self == 1 ? "" : "s", args.count - self);
    return false;
  }
  for (uint32_t i = 0; i < total; ++i) out[i] = i < args.count ? args[i] : Value();
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    const std::string_view given = Text(args.names->items[k]);
    uint32_t at = self;
    while (at < total && given != names[at]) ++at;
    if (at == total) {
      vm.Throw(Error::kTypeError, "'{}' is an invalid keyword argument for {}()", given, name);
      return false;
    }
    if (!out[at].empty()) {
      vm.Throw(Error::kTypeError, "argument for {}() given by name ('{}') and position ({})", name,
               given, at + 1 - self);
      return false;
    }
    out[at] = args.args[args.count + k];
  }
  for (uint32_t i = 0; i < required; ++i) {
    if (!out[i].empty()) continue;
    vm.Throw(Error::kTypeError, "{}() missing required argument '{}' (pos {})", name, names[i],
             i + 1 - self);
    return false;
  }
  return true;
}

bool IsCallable(Vm& vm, Value v) {
  return Is(v, Type::kFunction) || Is(v, Type::kNative) || Is(v, Type::kClass) ||
         Is(v, Type::kBoundMethod) || !vm.FindInClass(vm.ClassOf(v), vm.names.call).empty();
}

Value ToInteger(Vm& vm, Value v) {
  if (IsInt(v)) return vm.Unary(static_cast<int>(Operator::kPositive), Plain(v));
  bool found;
  Value result = vm.CallSpecial(v, vm.names.index, nullptr, 0, &found);
  if (!found)
    return vm.Throw(Error::kTypeError, "'{}' object cannot be interpreted as an integer",
                    vm.TypeName(v));
  return result.empty() || !CheckReturned(vm, "__index__", &result, "int") ? Value() : result;
}

Class* ClassOfNative(Vm& vm, const NativeType& type) {
  auto found = vm.native_classes.find(&type);
  if (found != vm.native_classes.end()) return found->second;
  Class* cls = vm.NewClass(type.name, vm.classes[kObjectClass], Type::kNativeObject);
  if (cls == nullptr) return nullptr;
  cls->native_type = &type;
  for (const NativeFunction& method : type.methods) {
    Value native = vm.NewNative(method.name, nullptr, method.function, false);
    if (!native.empty()) As<Native>(native)->owner = cls;  // the payload is of this type
    if (native.empty() || !vm.DictSetText(cls->attributes, method.name, native)) return nullptr;
  }
  for (const NativeFunction& property : type.properties) {
    Value native = vm.NewNative(property.name, nullptr, property.function, false);
    if (!native.empty()) As<Native>(native)->owner = cls;
    Value descriptor =
        native.empty() ? native : vm.NewDescriptor(DescriptorKind::kProperty, native);
    if (descriptor.empty() || !vm.DictSetText(cls->attributes, property.name, descriptor))
      return nullptr;
  }
  vm.native_classes[&type] = cls;
  return cls;
}

}  // namespace ferry::vm
