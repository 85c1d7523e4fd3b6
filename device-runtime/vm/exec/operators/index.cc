// Lists' storage, subscripts and slices.
#include <algorithm>
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/exec/failure/warnings.h"
#include "device-runtime/vm/exec/loop/slow.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

bool Vm::Reserve(List* list, size_t count) {
  if (count <= list->capacity) return true;
  if (count > kMaxItems) {
    TooLarge();
    return false;
  }
  const size_t capacity = list->capacity == 0
                              ? std::max<size_t>(count, 4)
                              : std::max<size_t>(count, list->capacity + list->capacity / 2 + 2);
  auto* items = static_cast<Value*>(heap.NewBuffer(capacity * sizeof(Value)));
  if (items == nullptr) {
    OutOfMemory();
    return false;
  }
  if (list->size > 0)
    std::memcpy(static_cast<void*>(items), list->items, list->size * sizeof(Value));
  heap.FreeBuffer(list->items, list->capacity * sizeof(Value));
  list->items = items;
  list->capacity = static_cast<uint32_t>(capacity);
  return true;
}

bool Vm::Append(List* list, Value v) {
  if (list->size == list->capacity && !Reserve(list, list->size + 1)) return false;
  list->items[list->size++] = v;
  return true;
}

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

static bool PlainBound(Value v) {
  return v.IsNone() || v.IsSmallInt();
}
static int64_t Clamped(int64_t i, int64_t length) {
  if (i < 0) return std::max<int64_t>(i + length, 0);
  return std::min(i, length);
}

bool Vm::SliceBounds(Slice* slice, int64_t length, int64_t* start, int64_t* stop, int64_t* step,
                     int64_t* count) {
  if (slice->step.IsNone() && PlainBound(slice->start) && PlainBound(slice->stop)) {
    *step = 1;
    *start = slice->start.IsNone() ? 0 : Clamped(slice->start.AsSmallInt(), length);
    *stop = slice->stop.IsNone() ? length : Clamped(slice->stop.AsSmallInt(), length);
    *count = std::max<int64_t>(*stop - *start, 0);
    return true;
  }
  if (slice->step == Value::SmallInt(-1) && PlainBound(slice->start) && PlainBound(slice->stop)) {
    const auto from_end = [length](Value v, int64_t missing) {
      if (v.IsNone()) return missing;
      const int64_t i = v.AsSmallInt();
      return i < 0 ? std::max<int64_t>(i + length, -1) : std::min(i, length - 1);
    };
    *step = -1;
    *start = from_end(slice->start, length - 1);
    *stop = from_end(slice->stop, -1);
    *count = std::max<int64_t>(*start - *stop, 0);
    return true;
  }
  for (const Value v : {slice->step, slice->start, slice->stop}) {
    if (v.IsNone() || IsInt(v) || !FindInClass(ClassOf(v), names.index).empty()) continue;
    Raise(Error::kTypeError, "slice indices must be integers or None or have an __index__ method");
    return false;
  }
  *step = 1;
  if (!slice->step.IsNone() && !ToIndex(slice->step, step, "slice step", true)) return false;
  if (*step == 0) {
    Raise(Error::kValueError, "slice step cannot be zero");
    return false;
  }
  const bool down = *step < 0;
  const auto bound = [&](Value v, int64_t missing, int64_t* out) {
    if (v.IsNone()) {
      *out = missing;
      return true;
    }
    if (!ToIndex(v, out, "slice index", true)) return false;
    if (*out < 0) *out = std::max<int64_t>(*out + length, down ? -1 : 0);
    *out = std::min(*out, down ? length - 1 : length);
    return true;
  };
  if (!bound(slice->start, down ? length - 1 : 0, start) ||
      !bound(slice->stop, down ? -1 : length, stop))
    return false;
  *count = down ? (*start > *stop ? (*start - *stop - 1) / -*step + 1 : 0)
                : (*stop > *start ? (*stop - *start - 1) / *step + 1 : 0);
  return true;
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

// Bounds that are ints: __index__ of others may change what is sliced, so it runs before its length
// is read.
static bool IntBounds(Vm& vm, Slice* slice, Slice* out) {
  *out = *slice;
  if (PlainBound(slice->start) && PlainBound(slice->stop) && PlainBound(slice->step)) return true;
  for (Value* bound : {&out->start, &out->stop, &out->step}) {
    int64_t i;
    if (bound->IsNone() || IsInt(*bound)) continue;
    if (vm.FindSpecial(vm.ClassOf(*bound), vm.names.index).empty())
      return !vm.Raise(Error::kTypeError,
                       "slice indices must be integers or None or have an __index__ method")
                  .empty();
    if (!vm.ToIndex(*bound, &i, "slice index", true)) return false;
    *bound = Value::SmallInt(std::clamp(i, Value::kMinInt, Value::kMaxInt));
  }
  return true;
}

// Of a string: neighbours, or ASCII.
static Value SliceOfText(Vm& vm, Value v, int64_t start, int64_t step, int64_t count) {
  const auto* string = As<String>(v);
  const auto first = static_cast<size_t>(start), size = static_cast<size_t>(count);
  if (size == string->length && step == 1 && string->derived == 0) return v;
  if (step == 1 && string->ascii()) {
    if (size <= 1) return vm.NewString(string->view().substr(first, size));
    char* out;
    const Value made = NewText(vm, size, size, &out);
    if (!made.empty()) std::memcpy(out, string->data + first, size);
    return made;
  }
  if (step == 1) {
    if (size == 0) return vm.empty_string;
    if (!vm.ChargeSteps((start + count) / 64)) return Value();
    const size_t from = vm.OffsetOf(string, first);
    const size_t bytes = size <= 32 ? Utf8Offset(string->view().substr(from), size)
                                    : vm.OffsetOf(string, first + size) - from;
    return vm.NewString(string->view().substr(from, bytes));
  }
  if (size <= 1) return vm.NewString(size == 0 ? "" : string->view().substr(first, 1));
  char* out;
  const Value made = NewText(vm, size, size, &out);
  if (made.empty() || !vm.ChargeSteps(count / 32)) return Value();
  const char* from = string->data + first;
  for (size_t i = 0; i < size; ++i) out[i] = from[static_cast<int64_t>(i) * step];
  return made;
}

static Value SliceOf(Vm& vm, Value v, Slice* slice) {
  int64_t length, start, stop, step, count;
  Slice ints;
  if (Is(v, Type::kRange)) return RangeSlice(vm, As<Range>(v), slice);
  if (!IntBounds(vm, slice, &ints)) return Value();
  slice = &ints;
  if (!vm.LengthPlain(v, &length) || !vm.SliceBounds(slice, length, &start, &stop, &step, &count))
    return Value();
  if (!vm.ChargeSteps(count / 16)) return Value();
  if (IsStr(v) || Is(v, Type::kBytes)) {
    const String* string = IsStr(v) ? As<String>(v) : nullptr;
    const bool wide = string != nullptr && !string->ascii();
    const std::string_view text = IsStr(v) ? Text(v) : As<BytesObject>(v)->view();
    if (string != nullptr && (step == 1 || !wide)) return SliceOfText(vm, v, start, step, count);
    if (!wide && step == 1)
      return IsStr(v)
                 ? vm.NewString(text.substr(static_cast<size_t>(start), static_cast<size_t>(count)))
                 : vm.NewBytes(text.substr(static_cast<size_t>(start), static_cast<size_t>(count)));
    if (!vm.ChargeSteps(static_cast<int64_t>(text.size() / 64))) return Value();
    std::string out;
    // `offset` is the byte of code point `place`.
    size_t offset = 0;
    int64_t place = 0;
    for (int64_t i = 0, at = start; i < count; ++i, at += step) {
      if (!wide) {
        out.push_back(text[static_cast<size_t>(at)]);
        continue;
      }
      for (; place < at; ++place) offset += Utf8Size(text[offset]);
      for (; place > at; --place)
        while ((static_cast<unsigned char>(text[--offset]) & 0xC0) == 0x80) continue;
      out += text.substr(offset, Utf8Size(text[offset]));
    }
    return IsStr(v) ? vm.NewString(out) : vm.NewBytes(out);
  }
  const bool list = Is(v, Type::kList);
  const Value* from = list ? As<List>(v)->items : As<Tuple>(v)->items;
  if (step == 1) {
    if (!list && count == length && v.object()->derived == 0) return v;
    return list ? vm.NewList(from + start, static_cast<size_t>(count))
                : vm.NewTuple(from + start, static_cast<size_t>(count));
  }
  Value out = list ? vm.NewList(nullptr, static_cast<size_t>(count))
                   : vm.NewTuple(nullptr, static_cast<size_t>(count));
  if (out.empty()) return out;
  Value* to = list ? As<List>(out)->items : As<Tuple>(out)->items;
  for (int64_t i = 0, at = start; i < count; ++i, at += step) to[i] = from[at];
  if (list) As<List>(out)->size = static_cast<uint32_t>(count);
  return out;
}

// A slice of small integers and None that lives for one operation.
static bool MakeParts(const Value* parts, Slice* out) {
  if (!PlainBound(parts[0]) || !PlainBound(parts[1]) || !PlainBound(parts[2])) return false;
  out->start = parts[0], out->stop = parts[1], out->step = parts[2];
  return true;
}

Value SliceOfParts(Vm& vm, Value v, const Value* parts) {
  Slice slice;
  return MakeParts(parts, &slice) ? SliceOf(vm, v, &slice) : Value();
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

// What is assigned to a slice, as a list.
static Value Assigned(Vm& vm, Value value, bool extended) {
  if (Is(value, Type::kList) || Is(value, Type::kTuple)) return vm.ToList(value);
  Roots roots(vm);
  const Value iterator = vm.Iterate(value);
  if (iterator.empty()) {
    if (vm.TakePending(Error::kTypeError))
      vm.Raise(Error::kTypeError,
               extended ? "must assign iterable to extended slice" : "can only assign an iterable");
    return Value();
  }
  roots.Add(iterator);
  return vm.ToList(iterator);
}

static bool IsListIndex(Vm& vm, Value key) {
  if (IsInt(key) || !vm.FindInClass(vm.ClassOf(key), vm.names.index).empty()) return true;
  vm.Throw(Error::kTypeError, "list indices must be integers or slices, not {}", vm.TypeName(key));
  return false;
}

static bool SetSlice(Vm& vm, List* list, Slice* slice, Value value) {
  int64_t start, stop, step, count;
  Roots roots(vm);
  Slice ints;
  if (!IntBounds(vm, slice, &ints)) return false;
  slice = &ints;
  if (slice->step == Value::SmallInt(0))  // an error, before the value is looked at
    return vm.SliceBounds(slice, list->size, &start, &stop, &step, &count);
  // Another list is read where it lies: no script runs from here on.
  const bool borrowed = IsExact(value, Type::kList) && value.object() != list;
  if (borrowed && !vm.ChargeSteps(As<List>(value)->size / 16)) return false;
  Value items =
      value.empty() ? vm.NewList(nullptr, 0)
      : borrowed
          ? value
          : Assigned(vm, value, !slice->step.IsNone() && !(slice->step == Value::SmallInt(1)));
  if (items.empty() || !vm.SliceBounds(slice, list->size, &start, &stop, &step, &count))
    return false;
  auto* from = As<List>(items);
  if (step != 1 && !value.empty()) {
    if (from->size != count) {
      vm.Throw(Error::kValueError,
               "attempt to assign sequence of size {} to extended slice of size {}", from->size,
               count);
      return false;
    }
    for (int64_t i = 0; i < count; ++i) list->items[start + i * step] = from->items[i];
    return true;
  }
  if (step != 1) {  // delete
    if (!vm.ChargeSteps(list->size / 16)) return false;
    std::vector<char> gone(list->size);
    for (int64_t i = 0; i < count; ++i) gone[static_cast<size_t>(start + i * step)] = 1;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->size; ++i)
      if (!gone[i]) list->items[kept++] = list->items[i];
    list->size = kept;
    return true;
  }
  const int64_t size = list->size, tail = size - start - count;
  if (!vm.ChargeSteps(tail / 16) ||
      !vm.Reserve(list, static_cast<size_t>(size - count + from->size)))
    return false;
  if (list->items != nullptr) {
    std::memmove(static_cast<void*>(list->items + start + from->size), list->items + start + count,
                 static_cast<size_t>(tail) * sizeof(Value));
    for (uint32_t i = 0; i < from->size; ++i) list->items[start + i] = from->items[i];
  }
  list->size = static_cast<uint32_t>(size - count + from->size);
  return true;
}

bool SetSliceOfParts(Vm& vm, Value v, const Value* parts, Value value) {
  Slice slice;
  if (!IsExact(v, Type::kList) || !IsExact(value, Type::kList) || !MakeParts(parts, &slice))
    return false;
  auto* const list = As<List>(v);
  const auto* from = As<List>(value);
  if (!parts[2].IsNone() || from == list) return SetSlice(vm, list, &slice, value);
  const int64_t size = list->size;
  const auto bound = [size](Value part, int64_t missing) {
    return part.IsNone() ? missing : Clamped(part.AsSmallInt(), size);
  };
  const int64_t start = bound(parts[0], 0), count = bound(parts[1], size) - start;
  if (count != from->size) return SetSlice(vm, list, &slice, value);
  // As many as before: nothing moves.
  if (!vm.ChargeSteps(count / 16) || !vm.ChargeSteps((size - start - count) / 16)) return false;
  for (int64_t i = 0; i < count; ++i) list->items[start + i] = from->items[i];
  return true;
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
