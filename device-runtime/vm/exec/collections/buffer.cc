#include "device-runtime/vm/exec/collections/buffer.h"

#include <algorithm>
#include <cstring>

#include "device-runtime/vm/exec/collections/item.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

// All of the base of a view, without a copy.
std::string_view Whole(Value base) {
  return Is(base, Type::kBytes) ? As<BytesObject>(base)->view() : As<ByteArray>(base)->view();
}

bool NotBytesLike(Vm& vm, Value v) {
  vm.Throw(Error::kTypeError, "a bytes-like object is required, not '{}'", vm.TypeName(v));
  return false;
}

}  // namespace

bool IsBytesLike(Value v) {
  return IsBytes(v) || Is(v, Type::kArray) || Is(v, Type::kMemoryView);
}

char* ViewData(Vm& vm, MemoryView* view) {
  if (view->released) {
    vm.Raise(Error::kValueError, "operation forbidden on released memoryview object");
    return nullptr;
  }
  const std::string_view whole = Whole(view->base);
  const auto item = static_cast<int64_t>(ItemSize(view->format));
  const int64_t last = view->offset + (view->count - 1) * view->stride;
  const int64_t end = view->count == 0     ? 0
                      : view->dims.empty() ? std::max(view->offset, last) + item
                                           : EndOfDims(view);
  if (end > static_cast<int64_t>(whole.size())) {
    vm.Raise(Error::kValueError, "the object under the memoryview has become shorter");
    return nullptr;
  }
  static char nothing;
  return whole.empty() ? &nothing : const_cast<char*>(whole.data()) + view->offset;
}

bool BytesOf(Vm& vm, Value v, std::string* copy, std::string_view* out) {
  if (IsBytes(v) || Is(v, Type::kArray)) {
    *out = Whole(v);
    return true;
  }
  if (!Is(v, Type::kMemoryView)) return NotBytesLike(vm, v);
  auto* view = As<MemoryView>(v);
  const char* data = ViewData(vm, view);
  if (data == nullptr) return false;
  const size_t item = ItemSize(view->format);
  if (view->dims.empty() ? view->stride == static_cast<int64_t>(item) : Contiguous(view)) {
    *out = {data, static_cast<size_t>(view->count) * item};
    return true;
  }
  if (!GatherView(vm, view, copy)) return false;
  *out = *copy;
  return true;
}

bool WritableBytes(Vm& vm, Value v, char** data, size_t* size) {
  if (Is(v, Type::kByteArray) || Is(v, Type::kArray)) {
    *data = As<ByteArray>(v)->data;
    *size = As<ByteArray>(v)->size;
    return true;
  }
  if (Is(v, Type::kMemoryView) && !As<MemoryView>(v)->readonly) {
    auto* view = As<MemoryView>(v);
    const size_t item = ItemSize(view->format);
    *data = ViewData(vm, view);
    *size = static_cast<size_t>(view->count) * item;
    if (*data == nullptr) return false;
    if (view->dims.empty() ? view->stride == static_cast<int64_t>(item) : Contiguous(view))
      return true;
    vm.Raise(Error::kValueError, "memoryview: underlying buffer is not C-contiguous");
    return false;
  }
  vm.Throw(Error::kTypeError, "read-write bytes-like object expected, not {}", vm.TypeName(v));
  return false;
}

Value NewView(Vm& vm, Value base) {
  auto* view = Cast<MemoryView>(vm.heap.NewObject(Type::kMemoryView, sizeof(MemoryView)));
  if (view == nullptr) return vm.OutOfMemory();
  if (Is(base, Type::kMemoryView)) {
    const auto* from = As<MemoryView>(base);
    view->base = from->base;
    view->offset = from->offset;
    view->count = from->count;
    view->stride = from->stride;
    view->format = from->format;
    view->readonly = from->readonly;
    view->dims = from->dims;
    RememberView(vm, view);
    return Value::Of(view);
  }
  view->dims = Value();
  view->base = base;
  view->format = Is(base, Type::kArray) ? As<ByteArray>(base)->typecode() : 'B';
  view->stride = static_cast<int64_t>(ItemSize(view->format));
  view->count = static_cast<int64_t>(Whole(base).size()) / view->stride;
  view->readonly = Is(base, Type::kBytes);
  RememberView(vm, view);
  return Value::Of(view);
}

Value Vm::NewByteArray(std::string_view bytes) {
  auto* out = Cast<ByteArray>(heap.NewObject(Type::kByteArray, sizeof(ByteArray)));
  if (out == nullptr) return OutOfMemory();
  if (!ResizeBytes(*this, out, bytes.size())) return Value();
  if (!bytes.empty()) std::memcpy(out->data, bytes.data(), bytes.size());
  return Value::Of(out);
}

Value NewArray(Vm& vm, char format, std::string_view bytes) {
  auto* out = Cast<ByteArray>(vm.heap.NewObject(Type::kArray, sizeof(ByteArray)));
  if (out == nullptr) return vm.OutOfMemory();
  out->aux = static_cast<unsigned char>(format);
  if (!ResizeBytes(vm, out, bytes.size())) return Value();
  if (!bytes.empty()) std::memcpy(out->data, bytes.data(), bytes.size());
  return Value::Of(out);
}

Value NewBytesLike(Vm& vm, Value like, std::string_view bytes) {
  return Is(like, Type::kByteArray) ? vm.NewByteArray(bytes) : vm.NewBytes(bytes);
}

bool ResizeBytes(Vm& vm, ByteArray* bytes, size_t size) {
  if (size > bytes->capacity) {
    const size_t capacity = bytes->capacity == 0 ? size : size + size / 8 + 8;
    if (capacity > static_cast<size_t>(LargestBytes(vm))) {
      vm.TooLarge();
      return false;
    }
    char* data = static_cast<char*>(vm.heap.NewBuffer(capacity));
    if (data == nullptr) {
      vm.OutOfMemory();
      return false;
    }
    if (bytes->size > 0) std::memcpy(data, bytes->data, bytes->size);
    vm.heap.FreeBuffer(bytes->data, bytes->capacity);
    bytes->data = data;
    bytes->capacity = static_cast<uint32_t>(capacity);
  }
  bytes->size = static_cast<uint32_t>(size);
  return true;
}

bool SpliceBytes(Vm& vm, ByteArray* bytes, size_t at, size_t count, std::string_view with) {
  const size_t before = bytes->size, tail = before - at - count;
  const size_t after = before - count + with.size();
  if (after != before && !MayResize(vm, bytes)) return false;
  if (!vm.ChargeSteps(static_cast<int64_t>((tail + with.size()) / 64))) return false;
  if (after > before && !ResizeBytes(vm, bytes, after)) return false;
  if (tail > 0 && with.size() != count)
    std::memmove(bytes->data + at + with.size(), bytes->data + at + count, tail);
  if (!with.empty()) std::memcpy(bytes->data + at, with.data(), with.size());
  bytes->size = static_cast<uint32_t>(after);
  return true;
}

bool ToByte(Vm& vm, Value v, const char* range_error, char* out) {
  int64_t i;
  if (!vm.ToIndex(v, &i, "byte", true)) return false;
  if (i < 0 || i > 255) {
    vm.Raise(Error::kValueError, range_error);
    return false;
  }
  *out = static_cast<char>(i);
  return true;
}

void AppendBytesRepr(std::string_view bytes, std::string* out, bool both) {
  const bool single = bytes.find('\'') != std::string_view::npos;
  const char quote = single && bytes.find('"') == std::string_view::npos ? '"' : '\'';
  *out += {'b', quote};
  for (char c : bytes) {
    const auto u = static_cast<unsigned char>(c);
    if (c == quote || c == '\\' || (both && c == '\'')) {
      *out += {'\\', c};
    } else if (c == '\t' || c == '\n' || c == '\r') {
      *out += {'\\', c == '\t' ? 't' : c == '\n' ? 'n' : 'r'};
    } else if (u < 0x20 || u >= 0x7F) {
      *out += {'\\', 'x', "0123456789abcdef"[u >> 4], "0123456789abcdef"[u & 15]};
    } else {
      out->push_back(c);
    }
  }
  out->push_back(quote);
}

bool BufferRepr(Vm& vm, Value v, std::string* out) {
  if (Is(v, Type::kMemoryView)) {
    *out += fmt::format("<{}memory at 0x{:x}>", As<MemoryView>(v)->released ? "released " : "",
                        vm.Identity(v));
    return true;
  }
  const std::string_view bytes = Whole(v);
  if (!vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 16))) return false;
  if (!Is(v, Type::kArray)) {
    const bool array = Is(v, Type::kByteArray);
    if (array) out->append(vm.TypeName(v)) += "(";
    AppendBytesRepr(bytes, out, array);
    if (array) *out += ")";
    return true;
  }
  const char format = As<ByteArray>(v)->typecode();
  *out += fmt::format("{}('{}'", vm.ClassOf(v)->name->view(), format);
  const size_t item = ItemSize(format);
  if (format == 'u' && !bytes.empty()) {
    std::string text;
    for (size_t i = 0; i < bytes.size(); i += item) {
      Value c = UnpackItem(vm, format, bytes.data() + i);
      if (c.empty()) return false;
      text += Text(c);
    }
    *out += ", ";
    AppendQuoted(text, false, out);
  } else if (!bytes.empty()) {
    for (size_t i = 0; i < bytes.size(); i += item) {
      *out += i == 0 ? ", [" : ", ";
      Value number = UnpackItem(vm, format, bytes.data() + i);
      if (number.empty() || !vm.Repr(number, out)) return false;
    }
    *out += "]";
  }
  *out += ")";
  return true;
}

}  // namespace ferry::vm
