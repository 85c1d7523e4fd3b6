#include "device-runtime/vm/exec/operators/slice.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

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

Value SliceOf(Vm& vm, Value v, Slice* slice) {
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

static int64_t Bound(Value v, int64_t missing, int64_t length) {
  if (v.IsNone()) return missing;
  const int64_t i = v.AsSmallInt();
  return i < 0 ? std::max<int64_t>(i + length, 0) : std::min(i, length);
}

// The same of a list or tuple of `length` with a step other than 1 and 0.
static Value SteppedSlice(Vm& vm, Value v, const Value* parts, int64_t length) {
  const int64_t step = parts[2].AsSmallInt();
  const bool list = Is(v, Type::kList);
  int64_t start, count;
  if (step > 0) {
    start = Bound(parts[0], 0, length);
    count = Bound(parts[1], length, length) - start;
  } else {  // as if counted from the other end
    const auto back = [&](Value bound, int64_t missing) {
      if (bound.IsNone()) return missing;
      const int64_t i = bound.AsSmallInt();
      return i < 0 ? std::max<int64_t>(i + length, -1) : std::min(i, length - 1);
    };
    start = back(parts[0], length - 1);
    count = start - back(parts[1], -1);
  }
  const int64_t width = std::abs(step);
  count = count <= 0 ? 0 : width == 1 ? count : (count - 1) / width + 1;
  if (!vm.ChargeSteps(count / 16)) return Value();
  const auto size = static_cast<size_t>(count);
  const Value made = list ? vm.NewList(nullptr, size) : vm.NewTuple(nullptr, size);
  if (made.empty() || count == 0) return made;
  const Value* const from = list ? As<List>(v)->items : As<Tuple>(v)->items;
  Value* const to = list ? As<List>(made)->items : As<Tuple>(made)->items;
  for (int64_t i = 0, at = start; i < count; ++i, at += step) to[i] = from[at];
  if (list) As<List>(made)->size = static_cast<uint32_t>(count);
  return made;
}

Value QuickSlice(Vm& vm, Value v, const Value* parts) {
  const bool list = IsExact(v, Type::kList), tuple = IsExact(v, Type::kTuple);
  const bool text = IsExact(v, Type::kString) && As<String>(v)->ascii();
  if (!(list || tuple || text)) return Value();
  if (!PlainBound(parts[0]) || !PlainBound(parts[1])) return Value();
  const int64_t length = list    ? As<List>(v)->size
                         : tuple ? As<Tuple>(v)->size
                                 : As<String>(v)->size;
  if (!parts[2].IsNone()) {
    const bool quick =
        !text && parts[2].IsSmallInt() && static_cast<uint64_t>(parts[2].AsSmallInt()) > 1;
    return quick ? SteppedSlice(vm, v, parts, length) : SliceOfParts(vm, v, parts);
  }
  const auto start = static_cast<size_t>(Bound(parts[0], 0, length));
  const auto stop = static_cast<size_t>(Bound(parts[1], length, length));
  const size_t count = stop > start ? stop - start : 0;
  if (!vm.ChargeSteps(static_cast<int64_t>(count / 16))) return Value();
  if (list) return vm.NewList(As<List>(v)->items + start, count);
  if (tuple && count == As<Tuple>(v)->size) return v;
  if (tuple) return vm.NewTuple(As<Tuple>(v)->items + start, count);
  return vm.NewString(As<String>(v)->view().substr(start, count));
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

bool SetSlice(Vm& vm, List* list, Slice* slice, Value value) {
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

}  // namespace ferry::vm
