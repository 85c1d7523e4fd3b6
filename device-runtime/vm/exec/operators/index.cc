// Lists' storage, subscripts and slices.
#include <algorithm>
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/exec/failure/warnings.h"
#include "device-runtime/vm/exec/operators/slice.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

bool Vm::ToIndex(Value v, int64_t* out, std::string_view what, bool saturate) {
  if (SmallOf(v, out)) return true;
  if (Is(v, Type::kBigInt)) {
    if (IntToInt64(v, out)) return true;
    if (saturate) {
      *out = As<BigInt>(v)->negative() ? INT64_MIN / 2 : INT64_MAX / 2;
      return true;
    }
    if (what == "length") {
      Raise(Error::kOverflowError, "cannot fit 'int' into an index-sized integer");
    } else {
      Throw(Error::kOverflowError, "{} is too large", what);
    }
    return false;
  }
  bool found;
  Value result = CallSpecial(v, names.index, nullptr, 0, &found);
  if (found) {
    if (result.empty()) return false;
    return CheckReturned(*this, "__index__", &result, "int") &&
           ToIndex(result, out, what, saturate);
  }
  Throw(Error::kTypeError, "'{}' object cannot be interpreted as an integer", TypeName(v));
  return false;
}

bool Vm::LengthPlain(Value v, int64_t* length) {
  if (v.IsObject()) {
    switch (v.object()->type) {
      case Type::kString:
        *length = As<String>(v)->length;
        return true;
      case Type::kBytes:
        *length = As<BytesObject>(v)->size;
        return true;
      case Type::kList:
        *length = As<List>(v)->size;
        return true;
      case Type::kTuple:
        *length = As<Tuple>(v)->size;
        return true;
      case Type::kDict:
      case Type::kSet:
      case Type::kFrozenSet:
        *length = As<Dict>(v)->count;
        return true;
      case Type::kRange:
        if (IsWide(As<Range>(v)) && !IntToInt64(As<WideRange>(v)->part[3], length)) {
          Raise(Error::kOverflowError, "Python int too large to convert to C ssize_t");
          return false;
        }
        if (!IsWide(As<Range>(v))) *length = As<Range>(v)->length;
        return true;
      case Type::kByteArray:
      case Type::kArray:
      case Type::kMemoryView:
        return BufferLength(*this, v, length);
      case Type::kView:
        return Length(As<View>(v)->source, length);
      default:
        break;
    }
  }
  bool found;
  Value result = CallSpecial(v, names.len, nullptr, 0, &found);
  if (found) {
    if (result.empty() || !ToIndex(result, length, "length")) return false;
    if (*length >= 0) return true;
    Raise(Error::kValueError, "__len__() should return >= 0");
    return false;
  }
  Throw(Error::kTypeError, "object of type '{}' has no len()", TypeName(v));
  return false;
}

// Classes of the library that may be written with the type of what they are about.
static bool Generic(const Class* cls) {
  if (!cls->builtin || cls->module_name == nullptr) return false;
  const std::string_view module = cls->module_name->view(), name = cls->name->view();
  return (module == "re" && (name == "Pattern" || name == "Match")) ||
         (module == "collections" && name == "deque") || (module == "itertools" && name == "chain");
}

// C[key]: __class_getitem__, or an alias of a built-in class that has one.
static Value Subscribe(Vm& vm, Value v, Value key) {
  const auto alias = [&](Value origin) {
    const Value args = Is(key, Type::kTuple) ? key : vm.NewTuple(&key, 1);
    return args.empty() ? args : vm.NewAlias(AliasKind::kGeneric, origin, args);
  };
  if (Is(v, Type::kAlias)) {
    if (As<Alias>(v)->kind() == AliasKind::kGeneric) {  // typing knows what stands for a type
      Roots roots(vm);
      const Value typing = roots.Add(vm.Import("typing", true));
      String* name = typing.empty() ? nullptr : vm.Intern("_subscribed");
      const Value function = name == nullptr ? Value() : vm.GetAttribute(typing, name);
      const Value both[] = {v, key};
      return function.empty() ? function : vm.Call(roots.Add(function), both, 2);
    }
    return vm.Throw(Error::kTypeError, "'{}' object is not subscriptable", vm.TypeName(v));
  }
  auto* cls = As<Class>(v);
  const Value method = vm.FindInClass(cls, vm.names.class_getitem);
  if (!method.empty()) {
    Roots roots(vm);
    const Value bound = roots.Add(vm.Bind(method, Value(), cls));
    return bound.empty() ? bound : vm.Call(bound, &key, 1);
  }
  switch (cls->layout) {
    case Type::kList:
    case Type::kTuple:
    case Type::kDict:
    case Type::kSet:
    case Type::kFrozenSet:
      return alias(v);
    default:
      if (cls == vm.classes[kTypeClass] || Generic(cls)) return alias(v);
      return vm.Throw(Error::kTypeError, "type '{}' is not subscriptable", cls->name->view());
  }
}

Value Vm::IndexPlain(Value v, Value key) {
  if (key.IsSmallInt() && (Is(v, Type::kList) || Is(v, Type::kTuple))) {
    const bool list = Is(v, Type::kList);
    const int64_t size = list ? As<List>(v)->size : As<Tuple>(v)->size;
    const int64_t at = key.AsSmallInt() < 0 ? key.AsSmallInt() + size : key.AsSmallInt();
    if (at >= 0 && at < size) return list ? As<List>(v)->items[at] : As<Tuple>(v)->items[at];
  }
  if (Is(v, Type::kDict)) {
    bool failed_find = false;
    Value* found = DictFind(As<Dict>(v), key, &failed_find);
    if (found != nullptr) return *found;
    if (failed_find) return Value();
    if (Derived(v)) {
      bool has_missing;
      const Value result = CallSpecial(v, names.missing, &key, 1, &has_missing);
      if (has_missing) return result;
    }
    return RaiseValue(Error::kKeyError, key);
  }
  if (Is(v, Type::kByteArray) || Is(v, Type::kArray) || Is(v, Type::kMemoryView))
    return BufferIndex(*this, v, key);
  if (IsView(v, ViewKind::kProxy)) return Index(As<View>(v)->source, key);
  if (Is(v, Type::kClass) || Is(v, Type::kAlias)) return Subscribe(*this, v, key);
  const bool sequence = Is(v, Type::kList) || Is(v, Type::kTuple) || IsStr(v) ||
                        Is(v, Type::kBytes) || Is(v, Type::kRange);
  if (!sequence) {
    bool found;
    Value result = CallSpecial(v, names.getitem, &key, 1, &found);
    if (found) return result;
    return Throw(Error::kTypeError, "'{}' object is not subscriptable",
                 Is(v, Type::kClass) ? "type" : TypeName(v));
  }
  if (Is(key, Type::kSlice)) return SliceOf(*this, v, As<Slice>(key));
  int64_t i, length;
  const std::string_view quote = IsStr(v) ? "'" : "";
  if (!IsInt(key) && FindInClass(ClassOf(key), names.index).empty())
    return Throw(Error::kTypeError, "{} indices must be integers{}, not {}{}{}",
                 IsStr(v)              ? "string"
                 : Is(v, Type::kBytes) ? "byte"
                                       : classes[static_cast<int>(v.object()->type)]->name->view(),
                 IsStr(v) ? "" : " or slices", quote, TypeName(key), quote);
  if (Is(v, Type::kRange) && (IsWide(As<Range>(v)) || Is(key, Type::kBigInt))) {
    const Value at = ToInteger(*this, key);
    return at.empty() ? at : RangeItem(*this, As<Range>(v), at);
  }
  if (Is(key, Type::kBigInt) && !IntToInt64(key, &i))
    return Raise(Error::kIndexError, "cannot fit 'int' into an index-sized integer");
  if (!ToIndex(key, &i, "index", true) || !LengthPlain(v, &length)) return Value();
  if (i < 0) i += length;
  if (i < 0 || i >= length)
    return Raise(Error::kIndexError, IsStr(v)              ? "string index out of range"
                                     : Is(v, Type::kRange) ? "range object index out of range"
                                     : Is(v, Type::kBytes) ? "index out of range"
                                     : Is(v, Type::kList)  ? "list index out of range"
                                                           : "tuple index out of range");
  switch (v.object()->type) {
    case Type::kList:
      return As<List>(v)->items[i];
    case Type::kTuple:
      return As<Tuple>(v)->items[i];
    case Type::kRange:
      return NewInt(As<Range>(v)->start + i * As<Range>(v)->step);
    case Type::kBytes:
      return Value::SmallInt(static_cast<unsigned char>(As<BytesObject>(v)->data[i]));
    default: {
      auto* string = As<String>(v);
      if (!string->ascii() && !ChargeSteps(i / 64)) return Value();
      const size_t at = OffsetOf(string, static_cast<size_t>(i));
      return NewString(string->view().substr(at, Utf8Size(string->data[at])));
    }
  }
}

static bool IsListIndex(Vm& vm, Value key) {
  if (IsInt(key) || !vm.FindInClass(vm.ClassOf(key), vm.names.index).empty()) return true;
  vm.Throw(Error::kTypeError, "list indices must be integers or slices, not {}", vm.TypeName(key));
  return false;
}

bool Vm::SetIndexPlain(Value v, Value key, Value value) {
  if (Is(v, Type::kDict)) return DictSet(As<Dict>(v), key, value);
  if (Is(v, Type::kList)) {
    auto* list = As<List>(v);
    if (Is(key, Type::kSlice)) return SetSlice(*this, list, As<Slice>(key), value);
    int64_t i;
    if (!IsListIndex(*this, key) || !ToIndex(key, &i, "index", true)) return false;
    if (i < 0) i += list->size;
    if (i < 0 || i >= list->size) {
      Raise(Error::kIndexError, "list assignment index out of range");
      return false;
    }
    list->items[i] = value;
    return true;
  }
  if (Is(v, Type::kByteArray) || Is(v, Type::kArray) || Is(v, Type::kMemoryView))
    return SetBufferIndex(*this, v, key, value);
  bool found;
  Value args[] = {key, value};
  Value result = CallSpecial(v, names.setitem, args, 2, &found);
  if (found) return !result.empty();
  Class* const cls = ClassOf(v);
  if (!cls->builtin && !FindSpecial(cls, names.delitem).empty())  // one slot of CPython's types
    return !Raise(Error::kAttributeError, "__setitem__").empty();
  Throw(Error::kTypeError, "'{}' object does not support item assignment", TypeName(v));
  return false;
}

bool Vm::DeleteIndexPlain(Value v, Value key) {
  if (Is(v, Type::kDict)) {
    if (!DictRemove(As<Dict>(v), key).empty()) return true;
    if (!failed()) RaiseValue(Error::kKeyError, key);
    return false;
  }
  if (Is(v, Type::kList)) {
    auto* list = As<List>(v);
    if (Is(key, Type::kSlice)) return SetSlice(*this, list, As<Slice>(key), Value());
    int64_t i;
    if (!IsListIndex(*this, key) || !ToIndex(key, &i, "index", true)) return false;
    if (i < 0) i += list->size;
    if (i < 0 || i >= list->size) {
      Raise(Error::kIndexError, "list assignment index out of range");
      return false;
    }
    std::copy(list->items + i + 1, list->items + list->size, list->items + i);
    --list->size;
    return ChargeSteps((list->size - i) / 16);
  }
  if (Is(v, Type::kByteArray) || Is(v, Type::kArray) || Is(v, Type::kMemoryView))
    return SetBufferIndex(*this, v, key, Value());
  bool found;
  Value result = CallSpecial(v, names.delitem, &key, 1, &found);
  if (found) return !result.empty();
  Class* const cls = ClassOf(v);
  if (!cls->builtin && !FindSpecial(cls, names.setitem).empty())  // one slot of CPython's types
    return !Raise(Error::kAttributeError, "__delitem__").empty();
  // CPython has two texts: of what could have items by number, and of the rest.
  const bool sequence = IsInt(key) && v.IsObject() && !IsExact(v, Type::kBigInt) &&
                        !Is(v, Type::kFunction) && !Is(v, Type::kNative) && !Is(v, Type::kModule) &&
                        !Is(v, Type::kClass);
  Throw(Error::kTypeError, "'{}' object {} support item deletion", TypeName(v),
        sequence ? "doesn't" : "does not");
  return false;
}

}  // namespace ferry::vm
