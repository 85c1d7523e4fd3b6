// Subscripts and slices of bytearray, array and memoryview.
#include <algorithm>
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/item.h"

namespace ferry::vm {
namespace {

size_t SizeOfItem(Value v) {
  if (Is(v, Type::kArray)) return ItemSize(As<ByteArray>(v)->typecode());
  return Is(v, Type::kMemoryView) ? ItemSize(As<MemoryView>(v)->format) : 1;
}

// The place of an index; false: reported.
bool ItemPlace(Vm& vm, Value v, Value key, bool write, int64_t* at) {
  const bool view = Is(v, Type::kMemoryView);
  if (!IsInt(key) && vm.FindInClass(vm.ClassOf(key), vm.names.index).empty()) {
    if (view) {
      vm.Raise(Error::kTypeError, "memoryview: invalid slice key");
    } else if (Is(v, Type::kArray)) {
      vm.Raise(Error::kTypeError, "array indices must be integers");
    } else {
      vm.Throw(Error::kTypeError, "bytearray indices must be integers or slices, not {}",
               vm.TypeName(key));
    }
    return false;
  }
  int64_t length;
  if (!vm.ToIndex(key, at, "index", true) || !BufferLength(vm, v, &length)) return false;
  if (*at < 0) *at += length;
  if (*at >= 0 && *at < length) return true;
  vm.Raise(Error::kIndexError, view                   ? "index out of bounds on dimension 1"
                               : !Is(v, Type::kArray) ? "bytearray index out of range"
                               : write                ? "array assignment index out of range"
                                                      : "array index out of range");
  return false;
}

struct Bounds {
  int64_t start, stop, step, count;
};
// Bounds that __index__ gives are asked for before the length is read, since it may change that.
bool SliceOf(Vm& vm, Value v, Value key, Bounds* out) {
  Slice whole = *As<Slice>(key);
  for (Value* bound : {&whole.start, &whole.stop, &whole.step}) {
    int64_t i;
    if (bound->IsNone() || bound->IsSmallInt()) continue;
    if (!vm.ToIndex(*bound, &i, "slice index", true)) return false;
    *bound = Value::SmallInt(std::clamp(i, Value::kMinInt, Value::kMaxInt));
  }
  int64_t length;
  return BufferLength(vm, v, &length) &&
         vm.SliceBounds(&whole, length, &out->start, &out->stop, &out->step, &out->count);
}

Value SliceView(MemoryView* view, Vm& vm, const Bounds& bounds) {
  Value out = NewView(vm, Value::Of(view));
  if (out.empty()) return out;
  auto* part = As<MemoryView>(out);
  if (!part->dims.empty())
    return SliceDims(vm, part, bounds.start, bounds.step, bounds.count) ? out : Value();
  part->offset += bounds.start * part->stride;
  part->stride *= bounds.step;
  part->count = bounds.count;
  return out;
}

Value SliceBytes(Vm& vm, Value v, const Bounds& bounds) {
  const size_t item = SizeOfItem(v);
  const auto* bytes = As<ByteArray>(v);
  const auto start = static_cast<size_t>(bounds.start) * item;
  const auto size = static_cast<size_t>(bounds.count) * item;
  if (!vm.ChargeSteps(static_cast<int64_t>(size / 32))) return Value();
  const std::string_view all = bytes->view();
  std::string picked;
  std::string_view part = bounds.count == 0 ? std::string_view() : all.substr(start, size);
  if (bounds.step != 1) {
    if (!vm.Scratch(3 * size)) return Value();
    for (int64_t i = 0, at = bounds.start; i < bounds.count; ++i, at += bounds.step)
      picked.append(all.substr(static_cast<size_t>(at) * item, item));
    part = picked;
  }
  return Is(v, Type::kArray) ? NewArray(vm, bytes->typecode(), part) : vm.NewByteArray(part);
}

// What may be assigned to a slice of `v`, as bytes in `copy`.
bool SliceSource(Vm& vm, Value v, Value value, std::string* copy) {
  std::string_view bytes;
  if (Is(v, Type::kArray)) {
    if (!Is(value, Type::kArray)) {
      vm.Throw(Error::kTypeError, "can only assign array (not \"{}\") to array slice",
               vm.TypeName(value));
      return false;
    }
    if (As<ByteArray>(value)->typecode() != As<ByteArray>(v)->typecode()) {
      vm.Raise(Error::kTypeError, "bad argument type for built-in operation");
      return false;
    }
  } else if (!IsBytesLike(value)) {
    if (IsInt(value) || IsStr(value)) {
      vm.Raise(Error::kTypeError,
               "can assign only bytes, buffers, or iterables of ints in range(0, 256)");
      return false;
    }
    Roots roots(vm);
    Value list = vm.ToList(value);
    if (list.empty()) return false;
    roots.Add(list);
    for (uint32_t i = 0; i < As<List>(list)->size; ++i) {
      char byte;
      if (!ToByte(vm, As<List>(list)->items[i], "byte must be in range(0, 256)", &byte))
        return false;
      copy->push_back(byte);
    }
    return true;
  }
  std::string scratch;
  if (!BytesOf(vm, value, &scratch, &bytes) || !vm.Scratch(2 * bytes.size())) return false;
  *copy = bytes;
  return true;
}

bool DeleteStepped(Vm& vm, ByteArray* bytes, size_t item, Bounds bounds) {
  if (!MayResize(vm, bytes)) return false;
  if (bounds.step < 0) {
    bounds.start += (bounds.count - 1) * bounds.step;
    bounds.step = -bounds.step;
  }
  const size_t total = bytes->size / item;
  size_t kept = 0;
  for (size_t i = 0; i < total; ++i) {
    const int64_t from = static_cast<int64_t>(i) - bounds.start;
    if (from >= 0 && from % bounds.step == 0 && from / bounds.step < bounds.count) continue;
    if (kept != i) std::memcpy(bytes->data + kept * item, bytes->data + i * item, item);
    ++kept;
  }
  bytes->size = static_cast<uint32_t>(kept * item);
  return true;
}

bool SetSlice(Vm& vm, Value v, Value key, Value value) {
  std::string source;
  Bounds bounds;
  if (!value.empty() && !SliceSource(vm, v, value, &source)) return false;
  if (!SliceOf(vm, v, key, &bounds)) return false;
  auto* bytes = As<ByteArray>(v);
  const size_t item = SizeOfItem(v);
  if (!vm.ChargeSteps(bytes->size / 64)) return false;
  if (bounds.step == 1)
    return SpliceBytes(vm, bytes, static_cast<size_t>(bounds.start) * item,
                       static_cast<size_t>(bounds.count) * item, source);
  if (value.empty()) return bounds.count == 0 || DeleteStepped(vm, bytes, item, bounds);
  const size_t given = source.size() / item;
  if (given == 0 && Is(v, Type::kByteArray))
    return bounds.count == 0 || DeleteStepped(vm, bytes, item, bounds);
  if (given != static_cast<size_t>(bounds.count)) {
    vm.Throw(Error::kValueError, "attempt to assign {} of size {} to extended slice of size {}",
             Is(v, Type::kArray) ? "array" : "bytes", given, bounds.count);
    return false;
  }
  if (item == 1) {
    char* to = bytes->data + bounds.start;
    for (size_t i = 0; i < given; ++i, to += bounds.step) *to = source[i];
    return true;
  }
  for (size_t i = 0; i < given; ++i)
    std::memcpy(
        bytes->data +
            static_cast<size_t>(bounds.start + static_cast<int64_t>(i) * bounds.step) * item,
        source.data() + i * item, item);
  return true;
}

// Whether a key that is no tuple may be used; reported.
bool WholeDimension(Vm& vm, const MemoryView* view, Value key, bool write) {
  const uint32_t n = Dimensions(view);
  if (n == 0) {
    vm.Raise(Error::kTypeError, "invalid indexing of 0-dim memory");
  } else if (n > 1 && (write || !Is(key, Type::kSlice))) {
    vm.Raise(Error::kNotImplementedError,
             write && Is(key, Type::kSlice)
                 ? "memoryview slice assignments are currently restricted to ndim = 1"
                 : "multi-dimensional sub-views are not implemented");
  }
  return !vm.failed();
}

bool SetView(Vm& vm, Value v, Value key, Value value) {
  auto* view = As<MemoryView>(v);
  if (ViewData(vm, view) == nullptr) return false;
  if (view->readonly) {
    vm.Raise(Error::kTypeError, "cannot modify read-only memory");
    return false;
  }
  if (value.empty()) {
    vm.Raise(Error::kTypeError, "cannot delete memory");
    return false;
  }
  const size_t item = ItemSize(view->format);
  if (Is(key, Type::kTuple)) {
    char packed[8], *place;
    if (!ItemOfView(vm, view, key, &place) ||
        !PackItem(vm, view->format, value, ItemUse::kView, packed) ||
        !ItemOfView(vm, view, key, &place))  // again: the value's methods may have changed the base
      return false;
    std::memcpy(place, packed, item);
    return true;
  }
  if (!WholeDimension(vm, view, key, true)) return false;
  if (!Is(key, Type::kSlice)) {
    int64_t at;
    char packed[8];
    if (!ItemPlace(vm, v, key, true, &at) ||
        !PackItem(vm, view->format, value, ItemUse::kView, packed))
      return false;
    char* data = ViewData(vm, view);  // again: __index__ may have changed the base
    if (data == nullptr) return false;
    std::memcpy(data + at * view->stride, packed, item);
    return true;
  }
  Bounds bounds;
  if (!SliceOf(vm, v, key, &bounds)) return false;
  std::string scratch;
  std::string_view bytes;
  if (!BytesOf(vm, value, &scratch, &bytes)) return false;
  if (!vm.Scratch(2 * bytes.size())) return false;
  const std::string source(bytes);  // it may be part of the same bytes
  char format = 'B';
  if (Is(value, Type::kMemoryView)) format = As<MemoryView>(value)->format;
  if (Is(value, Type::kArray)) format = As<ByteArray>(value)->typecode();
  if (format != view->format || source.size() != static_cast<size_t>(bounds.count) * item) {
    vm.Raise(Error::kValueError,
             "memoryview assignment: lvalue and rvalue have different structures");
    return false;
  }
  char* data = ViewData(vm, view);
  if (data == nullptr || !vm.ChargeSteps(bounds.count / 16)) return false;
  for (int64_t i = 0; i < bounds.count; ++i)
    std::memcpy(data + (bounds.start + i * bounds.step) * view->stride,
                source.data() + static_cast<size_t>(i) * item, item);
  return true;
}

}  // namespace

bool BufferLength(Vm& vm, Value v, int64_t* length) {
  if (Is(v, Type::kMemoryView)) {
    const auto* view = As<MemoryView>(v);
    *length = view->count;
    if (!view->dims.empty() && Dimensions(view) > 0)
      *length = DimensionOf(vm, view, 0, false).AsSmallInt();
    return !As<MemoryView>(v)->released || ViewData(vm, As<MemoryView>(v)) != nullptr;
  }
  *length = static_cast<int64_t>(As<ByteArray>(v)->size / SizeOfItem(v));
  return true;
}

// Whether a small integer is a place in an array; its byte offset.
static bool QuickPlace(Value v, Value key, size_t* offset) {
  if (!key.IsSmallInt() || !Is(v, Type::kArray)) return false;
  const auto item = static_cast<int64_t>(SizeOfItem(v));
  int64_t at = key.AsSmallInt() * item;
  if (at < 0) at += As<ByteArray>(v)->size;
  *offset = static_cast<size_t>(at);
  return at >= 0 && at + item <= As<ByteArray>(v)->size;
}

Value BufferIndex(Vm& vm, Value v, Value key) {
  size_t offset;
  if (QuickPlace(v, key, &offset))
    return UnpackItem(vm, As<ByteArray>(v)->typecode(), As<ByteArray>(v)->data + offset);
  if (Is(v, Type::kMemoryView) && ViewData(vm, As<MemoryView>(v)) == nullptr) return Value();
  if (Is(v, Type::kMemoryView)) {
    auto* view = As<MemoryView>(v);
    char* place;
    if (Is(key, Type::kTuple))
      return ItemOfView(vm, view, key, &place) ? UnpackItem(vm, view->format, place) : Value();
    if (!view->dims.empty() && key == vm.ellipsis) return v;
    if (!view->dims.empty() && !WholeDimension(vm, view, key, false)) return Value();
  }
  if (Is(key, Type::kSlice)) {
    Bounds bounds;
    if (!SliceOf(vm, v, key, &bounds)) return Value();
    return Is(v, Type::kMemoryView) ? SliceView(As<MemoryView>(v), vm, bounds)
                                    : SliceBytes(vm, v, bounds);
  }
  int64_t at;
  if (!ItemPlace(vm, v, key, false, &at)) return Value();
  if (Is(v, Type::kMemoryView)) {
    auto* view = As<MemoryView>(v);
    const char* data = ViewData(vm, view);
    return data == nullptr ? Value() : UnpackItem(vm, view->format, data + at * view->stride);
  }
  const auto* bytes = As<ByteArray>(v);
  if (Is(v, Type::kByteArray)) return Value::SmallInt(static_cast<unsigned char>(bytes->data[at]));
  return UnpackItem(vm, bytes->typecode(), bytes->data + static_cast<size_t>(at) * SizeOfItem(v));
}

bool SetBufferIndex(Vm& vm, Value v, Value key, Value value) {
  if (Is(v, Type::kMemoryView)) return SetView(vm, v, key, value);
  if (Is(key, Type::kSlice)) return SetSlice(vm, v, key, value);
  int64_t at;
  char packed[8];
  const size_t item = SizeOfItem(v);
  if (!ItemPlace(vm, v, key, true, &at)) return false;
  auto* bytes = As<ByteArray>(v);
  if (value.empty()) return SpliceBytes(vm, bytes, static_cast<size_t>(at) * item, item, "");
  if (Is(v, Type::kByteArray)) {
    if (!ToByte(vm, value, "byte must be in range(0, 256)", packed)) return false;
  } else if (!PackItem(vm, bytes->typecode(), value, ItemUse::kArray, packed)) {
    return false;
  }
  if (static_cast<size_t>(at) * item >= bytes->size) {  // __index__ of the value made it shorter
    vm.Raise(Error::kIndexError, "array assignment index out of range");
    return false;
  }
  std::memcpy(bytes->data + static_cast<size_t>(at) * item, packed, item);
  return true;
}

}  // namespace ferry::vm
