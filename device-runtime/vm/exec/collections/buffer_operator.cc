// +, *, in, comparison of bytes-like objects.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/item.h"

namespace ferry::vm {
namespace {

Value RepeatBytes(Vm& vm, Value v, Value by, bool in_place) {
  int64_t count;
  if (!vm.ToIndex(by, &count, "repeat count", true)) return Value();
  if (count < 0) count = 0;
  auto* bytes = As<ByteArray>(v);
  const size_t size = bytes->size;
  const auto limit = std::min<uint64_t>(kMaxStringBytes, static_cast<uint64_t>(LargestBytes(vm)));
  if (size > 0 && static_cast<uint64_t>(count) > limit / size) return vm.TooLarge();
  const size_t total = size * static_cast<size_t>(count);
  if (!vm.ChargeSteps(static_cast<int64_t>(total / 64))) return Value();
  Value out = v;
  if (!in_place)
    out = Is(v, Type::kArray) ? NewArray(vm, bytes->typecode(), "") : vm.NewByteArray("");
  if (in_place && total != size && !MayResize(vm, bytes)) return Value();
  if (out.empty() || !ResizeBytes(vm, As<ByteArray>(out), total)) return Value();
  char* to = As<ByteArray>(out)->data;
  for (size_t at = in_place ? size : 0; at < total; at += size)
    std::memcpy(to + at, bytes->data, size);
  return out;
}

Value AddArray(Vm& vm, Value a, Value b, bool in_place) {
  if (!Is(b, Type::kArray)) {
    return in_place ? vm.Throw(Error::kTypeError, "can only extend array with array (not \"{}\")",
                               vm.TypeName(b))
                    : vm.Throw(Error::kTypeError, "can only append array (not \"{}\") to array",
                               vm.TypeName(b));
  }
  if (As<ByteArray>(a)->typecode() != As<ByteArray>(b)->typecode())
    return in_place ? vm.Raise(Error::kTypeError, "can only extend with array of same kind")
                    : vm.Raise(Error::kTypeError, "bad argument type for built-in operation");
  const std::string other(As<ByteArray>(b)->view());
  Value out = in_place ? a : NewArray(vm, As<ByteArray>(a)->typecode(), As<ByteArray>(a)->view());
  if (out.empty()) return out;
  auto* bytes = As<ByteArray>(out);
  return SpliceBytes(vm, bytes, bytes->size, 0, other) ? out : Value();
}

// Two bytes objects, into one.
Value JoinBytes(Vm& vm, Value a, Value b) {
  const auto *x = As<BytesObject>(a), *y = As<BytesObject>(b);
  const size_t size = size_t{x->size} + y->size;
  if (size > kMaxStringBytes) return vm.TooLarge();
  if (!vm.ChargeSteps(static_cast<int64_t>(size / 64))) return Value();
  auto* out = Cast<BytesObject>(vm.heap.NewUncleared(Type::kBytes, sizeof(BytesObject) + size));
  if (out == nullptr) return vm.OutOfMemory();
  out->size = static_cast<uint32_t>(size);
  std::memcpy(out->data, x->data, x->size);
  std::memcpy(out->data + x->size, y->data, y->size);
  out->data[size] = 0;
  return Value::Of(out);
}

Value AddBytes(Vm& vm, Value a, Value b, bool in_place) {
  if (Is(a, Type::kBytes) && Is(b, Type::kBytes)) return JoinBytes(vm, a, b);
  std::string copy_a, copy_b;
  std::string_view x, y;
  if (!IsBytesLike(b))
    return vm.Throw(Error::kTypeError, "can't concat {} to {}", vm.TypeName(b), vm.TypeName(a));
  if (!BytesOf(vm, a, &copy_a, &x) || !BytesOf(vm, b, &copy_b, &y)) return Value();
  if (x.size() + y.size() > kMaxStringBytes) return vm.TooLarge();
  if (in_place && Is(a, Type::kByteArray)) {
    if (!vm.Scratch(2 * y.size())) return Value();
    auto* bytes = As<ByteArray>(a);
    const size_t whole = x.size() + y.size();
    if (!vm.Scratch(y.size() + (whole > bytes->capacity ? whole / 8 * 9 : 0))) return Value();
    const std::string other(y);
    return SpliceBytes(vm, bytes, bytes->size, 0, other) ? a : Value();
  }
  if (!vm.ChargeSteps(static_cast<int64_t>((x.size() + y.size()) / 64)) ||
      !vm.Scratch(2 * (x.size() + y.size())))
    return Value();
  std::string out;
  out.reserve(x.size() + y.size());
  out += x;
  out += y;
  return NewBytesLike(vm, a, out);
}

}  // namespace

Value FormatBytes(Vm& vm, Value format, Value args);

Value BufferBinary(Vm& vm, int code, Value a, Value b, bool in_place, bool* handled) {
  const auto op = static_cast<Operator>(code);
  *handled = true;
  const bool left = IsBytes(a) || Is(a, Type::kArray);
  if (op == Operator::kAdd && left)
    return Is(a, Type::kArray) ? AddArray(vm, a, b, in_place) : AddBytes(vm, a, b, in_place);
  if (op == Operator::kMul && left && IsInt(b)) return RepeatBytes(vm, a, b, in_place);
  if (op == Operator::kMul && IsInt(a) && (Is(b, Type::kByteArray) || Is(b, Type::kArray)))
    return RepeatBytes(vm, b, a, false);
  if (op == Operator::kMod && IsBytes(a)) return FormatBytes(vm, a, b);
  *handled = false;
  return Value();
}

bool BufferContains(Vm& vm, Value v, Value item, bool* contains) {
  *contains = false;
  if (!IsBytes(v)) {
    int64_t length = 0;
    for (int64_t i = 0; BufferLength(vm, v, &length) && i < length && !*contains; ++i) {
      Value there = BufferIndex(vm, v, Value::SmallInt(i));
      if (there.empty() || !vm.ChargeSteps(1) || !vm.Equal(there, item, contains)) return false;
    }
    return !vm.failed();
  }
  std::string copy, copy_item;
  std::string_view bytes, part;
  char byte;
  if (IsBytesLike(item)) {
    if (!BytesOf(vm, item, &copy_item, &part)) return false;
  } else {
    if (!IsInt(item) && vm.FindInClass(vm.ClassOf(item), vm.names.index).empty()) {
      vm.Throw(Error::kTypeError, "a bytes-like object is required, not '{}'", vm.TypeName(item));
      return false;
    }
    if (!ToByte(vm, item, "byte must be in range(0, 256)", &byte)) return false;
    part = {&byte, 1};
  }
  if (!BytesOf(vm, v, &copy, &bytes) || !vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 32)))
    return false;
  *contains = part.size() == 1 ? std::memchr(bytes.data(), part[0], bytes.size()) != nullptr
                               : bytes.find(part) != std::string_view::npos;
  return true;
}

bool BufferCompare(Vm& vm, Value a, Value b, bool equality, int* order) {
  *order = 2;
  const bool arrays = Is(a, Type::kArray) && Is(b, Type::kArray);
  const bool views = Is(a, Type::kMemoryView) || Is(b, Type::kMemoryView);
  const bool array = Is(a, Type::kByteArray) || Is(b, Type::kByteArray);
  if (views ? !equality : !arrays && !array && !(IsBytes(a) && IsBytes(b))) return true;
  if ((Is(a, Type::kMemoryView) && As<MemoryView>(a)->released) ||
      (Is(b, Type::kMemoryView) && As<MemoryView>(b)->released)) {
    *order = a == b ? 0 : 2;
    return true;
  }
  const auto format = [](Value v) {
    return IsBytes(v)            ? 'B'
           : Is(v, Type::kArray) ? As<ByteArray>(v)->typecode()
                                 : As<MemoryView>(v)->format;
  };
  if (views) {  // of other shapes they differ
    const auto shaped = [](Value v) {
      return Is(v, Type::kMemoryView) && !As<MemoryView>(v)->dims.empty();
    };
    if (shaped(a) || shaped(b)) {
      if (!shaped(a) || !shaped(b)) return true;
      const MemoryView *x = As<MemoryView>(a), *y = As<MemoryView>(b);
      if (Dimensions(x) != Dimensions(y)) return true;
      for (uint32_t i = 0; i < Dimensions(x); ++i)
        if (DimensionOf(vm, x, i, false) != DimensionOf(vm, y, i, false)) return true;
      const Value p = ListsOfView(vm, As<MemoryView>(a)), q = ListsOfView(vm, As<MemoryView>(b));
      bool equal;
      if (p.empty() || q.empty() || !vm.Equal(p, q, &equal)) return false;
      if (equal) *order = 0;
      return true;
    }
  }
  if ((arrays || views) && (format(a) != 'B' || format(b) != 'B')) {  // by values
    int64_t n, m;
    Value x = NewView(vm, a), y = NewView(vm, b);
    if (x.empty() || y.empty() || !BufferLength(vm, x, &n) || !BufferLength(vm, y, &m))
      return false;
    if (equality && n != m) return true;
    for (int64_t i = 0; i < n && i < m; ++i) {
      bool equal = false, less = false;
      Value p = BufferIndex(vm, x, Value::SmallInt(i)), q = BufferIndex(vm, y, Value::SmallInt(i));
      if (p.empty() || q.empty() || !vm.ChargeSteps(1) || !vm.Equal(p, q, &equal)) return false;
      if (equal) continue;
      if (equality) return true;
      if (!vm.Less(p, q, &less)) return false;
      *order = less ? -1 : 1;
      return true;
    }
    *order = n < m ? -1 : n > m;
    return true;
  }
  std::string copy_a, copy_b;
  std::string_view x, y;
  if (!BytesOf(vm, a, &copy_a, &x) || !BytesOf(vm, b, &copy_b, &y)) return false;
  if (!vm.ChargeSteps(static_cast<int64_t>(std::min(x.size(), y.size()) / 128))) return false;
  const int compared = x.compare(y);
  *order = compared < 0 ? -1 : compared > 0;
  return true;
}

}  // namespace ferry::vm
