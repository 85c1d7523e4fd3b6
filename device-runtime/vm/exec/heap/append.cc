// Appending to strings. `s += x` in a loop must not copy s each time, and nothing counts who else
// holds s: so a string that is appended to again and again moves into a buffer with room at its
// end, and its successors share the buffer's bytes. Each string sees only its own beginning of
// them; whoever appends to one that no longer ends where the used bytes end gets a copy.
#include <cstring>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {
namespace {

constexpr size_t kLeastBuffer = 256;  // shorter results are cheaper to copy

// A string over the first `size` bytes of the buffer.
String* Share(Vm& vm, BytesObject* buffer, size_t size) {
  auto* out = Cast<String>(vm.heap.NewUncleared(Type::kString, sizeof(String)));
  if (out == nullptr) {
    vm.OutOfMemory();
    return nullptr;
  }
  out->Set(StringFlag::kShared);
  out->Set(StringFlag::kAppended);
  out->size = static_cast<uint32_t>(size);
  out->hash = 0;
  out->data = buffer->data;
  out->buffer = buffer;
  return out;
}

BytesObject* Buffer(Vm& vm, size_t capacity) {
  auto* buffer =
      Cast<BytesObject>(vm.heap.NewUncleared(Type::kBytes, sizeof(BytesObject) + capacity));
  if (buffer == nullptr) {
    vm.OutOfMemory();
  } else {
    buffer->size = static_cast<uint32_t>(capacity);
  }
  return buffer;
}

}  // namespace

Value Vm::AppendString(String* a, String* b) {
  const size_t size = size_t{a->size} + b->size;
  if (size > kMaxStringBytes) return TooLarge();
  if (b->size == 0 && a->derived == 0) return Value::Of(a);
  if (a->size == 0 && b->derived == 0) return Value::Of(b);
  String* out;
  if (a->Has(StringFlag::kShared) && a->buffer->aux == a->size && a->buffer->size >= size) {
    if (!ChargeSteps(b->size / 64)) return Value();
    out = Share(*this, a->buffer, size);
    if (out == nullptr) return Value();
    out->buffer->aux = static_cast<uint32_t>(size);
    std::memcpy(out->data + a->size, b->data, b->size);
  } else {
    if (!ChargeSteps(static_cast<int64_t>(size / 64))) return Value();
    if (a->Has(StringFlag::kAppended) && size >= kLeastBuffer) {
      BytesObject* buffer = Buffer(*this, std::min(size * 2, kMaxStringBytes));
      if (buffer == nullptr || (out = Share(*this, buffer, size)) == nullptr) return Value();
      buffer->aux = static_cast<uint32_t>(size);
    } else {
      if ((out = NewStringObject(size)) == nullptr) return Value();
      out->Set(StringFlag::kAppended);
    }
    std::memcpy(out->data, a->data, a->size);
    std::memcpy(out->data + a->size, b->data, b->size);
  }
  out->length = a->length + b->length;
  return Value::Of(out);
}

}  // namespace ferry::vm
