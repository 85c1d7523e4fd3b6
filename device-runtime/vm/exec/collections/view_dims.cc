// Memory views of no or several dimensions: cast() makes them of views of bytes. Their lengths and
// strides lie in one tuple, the lengths first.
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/item.h"

namespace ferry::vm {
namespace {

int64_t Part(const MemoryView* view, uint32_t i) {
  return As<Tuple>(view->dims)->items[i].AsSmallInt();
}
int64_t Stride(const MemoryView* view, uint32_t i) {
  return Part(view, Dimensions(view) + i);
}

Value Lists(Vm& vm, const MemoryView* view, const char* data, uint32_t from) {
  if (from == Dimensions(view)) return UnpackItem(vm, view->format, data);
  const Value list = vm.NewList(nullptr, 0);
  for (int64_t i = 0; !list.empty() && i < Part(view, from); ++i) {
    const Value part = Lists(vm, view, data + i * Stride(view, from), from + 1);
    if (part.empty() || !vm.ChargeSteps(1) || !vm.Append(As<List>(list), part)) return Value();
  }
  return list;
}

void Gather(const MemoryView* view, const char* data, uint32_t from, std::string* out) {
  if (from == Dimensions(view)) {
    out->append(data, ItemSize(view->format));
    return;
  }
  for (int64_t i = 0; i < Part(view, from); ++i)
    Gather(view, data + i * Stride(view, from), from + 1, out);
}

}  // namespace

uint32_t Dimensions(const MemoryView* view) {
  return view->dims.empty() ? 1 : As<Tuple>(view->dims)->size / 2;
}

Value DimensionOf(Vm& vm, const MemoryView* view, uint32_t i, bool stride) {
  if (view->dims.empty()) return vm.NewInt(stride ? view->stride : view->count);
  return Value::SmallInt(stride ? Stride(view, i) : Part(view, i));
}

bool Contiguous(const MemoryView* view) {
  auto size = static_cast<int64_t>(ItemSize(view->format));
  if (view->dims.empty()) return view->stride == size || view->count <= 1;
  for (uint32_t i = Dimensions(view); i-- > 0;) {
    if (Part(view, i) > 1 && Stride(view, i) != size) return false;
    size *= Part(view, i);
  }
  return true;
}

Value TakeShape(Vm& vm, MemoryView* view, Value shape) {
  if (!Is(shape, Type::kList) && !Is(shape, Type::kTuple))
    return vm.Raise(Error::kTypeError, "shape must be a list or a tuple");
  const bool list = Is(shape, Type::kList);
  const uint32_t n = list ? As<List>(shape)->size : As<Tuple>(shape)->size;
  const Value* items = list ? As<List>(shape)->items : As<Tuple>(shape)->items;
  if (n > 64)
    return vm.Raise(Error::kValueError, "memoryview: number of dimensions must not exceed 64");
  auto stride = static_cast<int64_t>(ItemSize(view->format));
  const int64_t size = view->count * stride;
  const Value dims = vm.NewTuple(nullptr, 2 * n);
  for (uint32_t i = n; !dims.empty() && i-- > 0;) {
    if (!IsInt(items[i]))
      return vm.Raise(Error::kTypeError, "memoryview.cast(): elements of shape must be integers");
    int64_t length = 0;
    if (!SmallOf(items[i], &length) || length <= 0)
      return vm.Raise(Error::kValueError,
                      "memoryview.cast(): elements of shape must be integers > 0");
    As<Tuple>(dims)->items[i] = Value::SmallInt(length);
    As<Tuple>(dims)->items[n + i] = Value::SmallInt(stride);
    if (__builtin_mul_overflow(stride, length, &stride) || stride > Value::kMaxInt)
      return vm.Raise(Error::kValueError, "memoryview.cast(): product(shape) > SSIZE_MAX");
  }
  if (dims.empty()) return dims;
  if (stride != size)
    return vm.Raise(Error::kTypeError, "memoryview: product(shape) * itemsize != buffer size");
  if (n != 1) view->dims = dims;
  return Value::Of(view);
}

bool ItemOfView(Vm& vm, MemoryView* view, Value key, char** item) {
  const uint32_t n = Dimensions(view), given = As<Tuple>(key)->size;
  for (uint32_t i = 0; i < given; ++i) {
    const Value index = As<Tuple>(key)->items[i];
    if (IsInt(index) || !vm.FindInClass(vm.ClassOf(index), vm.names.index).empty()) continue;
    vm.Raise(Error::kTypeError, "memoryview: invalid slice key");
    return false;
  }
  if (given != n) {
    if (given < n)
      vm.Raise(Error::kNotImplementedError, "sub-views are not implemented");
    else
      vm.Throw(Error::kTypeError, "cannot index {}-dimension view with {}-element tuple", n, given);
    return false;
  }
  int64_t offset = 0;
  for (uint32_t i = 0; i < given; ++i) {
    int64_t at;
    if (!vm.ToIndex(As<Tuple>(key)->items[i], &at, "index", true)) return false;
    const int64_t length = view->dims.empty() ? view->count : Part(view, i);
    if (at < 0) at += length;
    if (at < 0 || at >= length) {
      vm.Throw(Error::kIndexError, "index out of bounds on dimension {}", i + 1);
      return false;
    }
    offset += at * (view->dims.empty() ? view->stride : Stride(view, i));
  }
  char* data = ViewData(vm, view);
  *item = data + offset;
  return data != nullptr;
}

Value ListsOfView(Vm& vm, MemoryView* view) {
  const char* data = ViewData(vm, view);
  return data == nullptr ? Value() : Lists(vm, view, data, 0);
}

bool GatherView(Vm& vm, MemoryView* view, std::string* out) {
  const char* data = ViewData(vm, view);
  if (data == nullptr || !vm.ChargeSteps(view->count / 16) ||
      !vm.Scratch(static_cast<size_t>(view->count) * ItemSize(view->format) * 3))
    return false;
  out->clear();
  if (view->dims.empty()) {
    for (int64_t i = 0; i < view->count; ++i)
      out->append(data + i * view->stride, ItemSize(view->format));
  } else {
    Gather(view, data, 0, out);
  }
  return true;
}

bool SliceDims(Vm& vm, MemoryView* view, int64_t start, int64_t step, int64_t count) {
  const uint32_t n = Dimensions(view);
  const auto* old = As<Tuple>(view->dims);
  const Value dims = vm.NewTuple(old->items, old->size);
  if (dims.empty()) return false;
  view->offset += start * Stride(view, 0);
  view->count = count;
  for (uint32_t i = 1; i < n; ++i) view->count *= Part(view, i);
  As<Tuple>(dims)->items[0] = Value::SmallInt(count);
  As<Tuple>(dims)->items[n] = Value::SmallInt(Stride(view, 0) * step);
  view->dims = dims;
  return true;
}

int64_t EndOfDims(const MemoryView* view) {
  int64_t end = view->offset + static_cast<int64_t>(ItemSize(view->format));
  for (uint32_t i = 0; i < Dimensions(view); ++i)
    if (Stride(view, i) > 0) end += (Part(view, i) - 1) * Stride(view, i);
  return end;
}

}  // namespace ferry::vm
