#include "device-runtime/vm/lib/modules/operator/getter.h"

namespace ferry::vm {
namespace {

// itemgetter and attrgetter: values are the items, or tuples of the names in "a.b.c".
Value NewGetter(Vm& vm, Args& args, const RecordType& type) {
  if (args.count == 0)
    return vm.Throw(Error::kTypeError, "{} expected 1 argument, got 0", type.name);
  if (!Expect(vm, args, type.name, 1, UINT32_MAX)) return Value();
  Class* cls = ClassOfRecord(vm, type);
  const Value record = cls == nullptr ? Value() : vm.NewRecord(cls, args.count);
  for (uint32_t i = 0; !record.empty() && i < args.count; ++i)
    As<Record>(record)->values[i] = args[i];
  return record;
}

// The call of a getter: itself and one object.
bool OneObject(Vm& vm, const Args& args, const char* name) {
  if (args.keywords() == 0 && args.count == 2) return true;
  if (args.keywords() > 0)
    vm.Throw(Error::kTypeError, "{}() takes no keyword arguments", name);
  else
    vm.Throw(Error::kTypeError, "{} expected 1 argument, got {}", name, args.count - 1);
  return false;
}

Value NewItemGetter(Vm& vm, Args& args) {
  return NewGetter(vm, args, kItemGetter);
}
Value CallItemGetter(Vm& vm, Args& args) {
  auto* record = As<Record>(args[0]);
  if (!OneObject(vm, args, "itemgetter")) return Value();
  if (record->count() == 1) {
    const Value key = record->values[0], from = args[1];
    if (key.IsSmallInt() && Is(from, Type::kTuple) && key.AsSmallInt() >= 0 &&
        key.AsSmallInt() < As<Tuple>(from)->size &&
        vm.ClassOf(from) == vm.classes[static_cast<int>(Type::kTuple)])
      return As<Tuple>(from)->items[key.AsSmallInt()];
    return vm.Index(from, key);
  }
  Roots roots(vm);
  const Value out = roots.Add(vm.NewTuple(nullptr, record->count()));
  for (uint32_t i = 0; !out.empty() && i < record->count(); ++i) {
    const Value v = vm.Index(args[1], record->values[i]);
    if (v.empty()) return v;
    As<Tuple>(out)->items[i] = v;
  }
  return out;
}

Value NewAttrGetter(Vm& vm, Args& args) {
  for (uint32_t i = 0; i < args.count; ++i)
    if (!IsStr(args[i])) return vm.Raise(Error::kTypeError, "attribute name must be a string");
  return NewGetter(vm, args, kAttrGetter);
}
Value Dotted(Vm& vm, Value v, std::string_view path) {
  Roots roots(vm);
  if (path.find('.') == path.npos) {
    String* name = vm.Intern(path);
    return name == nullptr ? Value() : vm.GetAttribute(v, name);
  }
  for (size_t at = 0; at <= path.size();) {
    const size_t dot = std::min(path.find('.', at), path.size());
    String* name = vm.Intern(path.substr(at, dot - at));
    v = name == nullptr ? Value() : vm.GetAttribute(v, name);
    if (v.empty()) return v;
    roots.Add(v);
    at = dot + 1;
  }
  return v;
}
Value CallAttrGetter(Vm& vm, Args& args) {
  auto* record = As<Record>(args[0]);
  if (!OneObject(vm, args, "attrgetter")) return Value();
  if (record->count() == 1) return Dotted(vm, args[1], Text(record->values[0]));
  Roots roots(vm);
  const Value out = roots.Add(vm.NewTuple(nullptr, record->count()));
  for (uint32_t i = 0; !out.empty() && i < record->count(); ++i) {
    const Value v = Dotted(vm, args[1], Text(record->values[i]));
    if (v.empty()) return v;
    As<Tuple>(out)->items[i] = v;
  }
  return out;
}

// methodcaller: values are the name, the arguments and the tuple of keywords or None.
Value NewMethodCaller(Vm& vm, Args& args) {
  if (args.count == 0)
    return vm.Raise(Error::kTypeError, "methodcaller needs at least one argument, the method name");
  if (!IsStr(args[0])) return vm.Raise(Error::kTypeError, "method name must be a string");
  Class* cls = ClassOfRecord(vm, kMethodCaller);
  const uint32_t total = args.count + args.keywords();
  const Value record = cls == nullptr ? Value() : vm.NewRecord(cls, total + 1);
  if (record.empty()) return record;
  auto* made = As<Record>(record);
  for (uint32_t i = 0; i < total; ++i) made->values[i] = args.args[i];
  if (args.names != nullptr) made->values[total] = Value::Of(args.names);
  return record;
}
Value CallMethodCaller(Vm& vm, Args& args) {
  auto* record = As<Record>(args[0]);
  if (!OneObject(vm, args, "methodcaller")) return Value();
  Roots roots(vm);
  String* name = vm.Intern(Text(record->values[0]));
  const Value method = name == nullptr ? Value() : roots.Add(vm.GetAttribute(args[1], name));
  if (method.empty()) return method;
  const Value names = record->values[record->count() - 1];
  const Tuple* keywords = names.IsNone() ? nullptr : As<Tuple>(names);
  const uint32_t total = record->count() - 2;
  return vm.Call(method, record->values + 1, total - (keywords == nullptr ? 0 : keywords->size),
                 keywords);
}

Value Repr(Vm& vm, Args& args) {
  auto* record = As<Record>(args[0]);
  std::string out = fmt::format("operator.{}(", record->cls->name->view());
  const bool method = AsRecord(vm, args[0], kMethodCaller) != nullptr;
  const uint32_t total = record->count() - method;
  const Value names = method ? record->values[total] : Value::None();
  const uint32_t keywords = names.IsNone() ? 0 : As<Tuple>(names)->size;
  for (uint32_t i = 0; i < total; ++i) {
    if (i > 0) out += ", ";
    if (i >= total - keywords)
      out += fmt::format("{}=", Text(As<Tuple>(names)->items[i - (total - keywords)]));
    if (!vm.Repr(record->values[i], &out)) return Value();
  }
  return vm.NewString(out + ")");
}

constexpr BuiltinRow kItemRows[] = {
    {"__call__", CallItemGetter, true}, {"__new__", NewItemGetter}, {"__repr__", Repr}};
constexpr BuiltinRow kAttrRows[] = {
    {"__call__", CallAttrGetter, true}, {"__new__", NewAttrGetter}, {"__repr__", Repr}};
constexpr BuiltinRow kMethodRows[] = {
    {"__call__", CallMethodCaller, true}, {"__new__", NewMethodCaller}, {"__repr__", Repr}};

}  // namespace

const RecordType kItemGetter = {"operator", "itemgetter", kItemRows};
const RecordType kAttrGetter = {"operator", "attrgetter", kAttrRows};
const RecordType kMethodCaller = {"operator", "methodcaller", kMethodRows};

bool ExpectOf(Vm& vm, const Args& args, uint32_t count) {
  if (args.count == count && args.names == nullptr) return true;
  const Native* native = vm.running;
  const std::string name =
      fmt::format("{}{}", count == 1 ? "_operator." : "", native == nullptr ? "" : native->name);
  return Expect(vm, args, name.c_str(), count, count);
}

}  // namespace ferry::vm
