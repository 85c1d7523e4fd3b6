#include "device-runtime/vm/host/transfer.h"

#include <cstring>
#include <unordered_map>

#include "common/base/memory.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

// What has gone may be filled again while views of it are left.
void ForgetViews(Vm& vm, const ByteArray* bytes) {
  std::erase_if(vm.views, [bytes](const MemoryView* view) { return view->base.object() == bytes; });
}

// What a copied object costs here for the length of a transfer.
constexpr size_t kSeenBytes = 64;

// Whether the contents lie in a block of their own, which any heap could hold.
bool IsMovable(const ByteArray* bytes) {
  return bytes->capacity > kMaxSmall;
}

class Transfer {
 public:
  Transfer(Vm& from, Vm& to, bool moves) : from_(from), to_(to), moves_(moves) {}

  Result<Value> Run(Value value) {
    const Value copy = Copy(value, 0);
    if (!error_.ok()) return error_;
    if (copy.empty() || to_.failed()) return to_.TakeFailure();
    return MoveAll() ? Result<Value>(copy) : to_.TakeFailure();
  }

 private:
  Value Refuse(Status error) {
    if (error_.ok()) error_ = std::move(error);
    return Value();
  }

  Value Copy(Value v, int depth) {
    if (!v.IsObject()) return v;
    const auto found = seen_.find(v.object());
    if (found != seen_.end()) return found->second;
    if (depth >= kMaxTransferDepth)
      return Refuse(Status::Of(Code::kMalformed, "values nest deeper than {}", kMaxTransferDepth));
    if (Derived(v) || !to_.Scratch(seen_.size() * kSeenBytes)) return Other(v);
    switch (v.object()->type) {
      case Type::kString:
        return Seen(v, to_.NewString(Text(v)));
      case Type::kBytes:
        return Seen(v, to_.NewBytes(As<BytesObject>(v)->view()));
      case Type::kByteArray:
        return As<ByteArray>(v)->typecode() == 0 ? CopyByteArray(v) : Other(v);
      case Type::kComplex:
        return Seen(v, to_.NewComplex(As<Complex>(v)->real, As<Complex>(v)->imaginary));
      case Type::kBigInt:
        return Seen(v, CopyBigInt(As<BigInt>(v)));
      case Type::kList:
        return CopyList(v, depth);
      case Type::kTuple:
        return CopyTuple(v, depth);
      case Type::kDict:
      case Type::kSet:
      case Type::kFrozenSet:
        return CopyDict(v, depth);
      case Type::kNativeObject:
        return Share(v);
      default:
        return Other(v);
    }
  }

  Value CopyByteArray(Value v) {
    auto* bytes = As<ByteArray>(v);
    if (!moves_ || !IsMovable(bytes)) return Seen(v, to_.NewByteArray(bytes->view()));
    const Value empty = Seen(v, to_.NewByteArray(""));
    if (!empty.empty()) moved_.emplace_back(bytes, As<ByteArray>(empty));
    return empty;
  }

  // Last, when nothing else can fail: all of them or none.
  bool MoveAll() {
    int64_t sum = 0;
    for (const auto& [bytes, empty] : moved_) sum += bytes->capacity;
    if (!to_.heap.Hold(sum)) {
      to_.OutOfMemory();
      return false;
    }
    for (const auto& [bytes, empty] : moved_) {
      to_.heap.FreeBuffer(empty->data, empty->capacity);
      empty->data = bytes->data;
      empty->size = bytes->size;
      empty->capacity = bytes->capacity;
      from_.heap.Release(bytes->capacity);
      bytes->data = nullptr;
      bytes->size = bytes->capacity = 0;
      ForgetViews(from_, bytes);
    }
    return true;
  }

  Value Share(Value v) {
    const auto* object = As<NativeObject>(v);
    const NativeType& type = *object->native_type;
    if (type.share == nullptr || object->payload == nullptr) return Other(v);
    size_t bytes = 0;
    CallContext context(to_, nullptr, 0, nullptr, nullptr, 0);
    void* const payload = type.share(object->payload, &bytes);
    const Result<Value> shared = context.NewNative(type, payload, bytes);
    return shared.ok() ? Seen(v, *shared) : Value();
  }

  Value Other(Value v) {
    if (to_.failed()) return Value();
    return Refuse(
        Status::Of(Code::kInvalidArgument, "a {} stays in its isolate", from_.TypeName(v)));
  }

  Value Seen(Value v, Value copy) {
    if (!copy.empty()) seen_.emplace(v.object(), copy);
    return copy;
  }

  Value CopyBigInt(const BigInt* from) {
    const size_t size = sizeof(BigInt) + from->size * sizeof(from->limbs[0]);
    auto* copy = static_cast<BigInt*>(to_.heap.NewObject(Type::kBigInt, size));
    if (copy == nullptr) return to_.OutOfMemory();
    copy->aux = from->aux;
    copy->size = from->size;
    std::memcpy(copy->limbs, from->limbs, from->size * sizeof(from->limbs[0]));
    return Value::Of(copy);
  }

  Value CopyList(Value v, int depth) {
    const Value copy = Seen(v, to_.NewList(nullptr, 0));
    if (copy.empty()) return copy;
    for (uint32_t i = 0; i < As<List>(v)->size; ++i) {
      const Value item = Copy(As<List>(v)->items[i], depth + 1);
      if (item.empty() || !to_.Append(As<List>(copy), item)) return Value();
    }
    return copy;
  }

  // A tuple can hold itself only through something that can change, which comes later: it is seen
  // before its items are filled in.
  Value CopyTuple(Value v, int depth) {
    const auto* from = As<Tuple>(v);
    const Value copy = Seen(v, to_.NewTuple(nullptr, from->size));
    if (copy.empty()) return copy;
    for (uint32_t i = 0; i < from->size; ++i) {
      const Value item = Copy(from->items[i], depth + 1);
      if (item.empty()) return item;
      As<Tuple>(copy)->items[i] = item;
    }
    return copy;
  }

  Value CopyDict(Value v, int depth) {
    const auto* from = As<Dict>(v);
    const Value copy = Seen(v, to_.NewDict(v.object()->type));
    if (copy.empty()) return copy;
    for (uint32_t i = 0; i < from->used; ++i) {
      const Entry& entry = from->entries[i];
      if (entry.key.empty()) continue;
      const Value key = Copy(entry.key, depth + 1);
      const Value value = key.empty() ? key : Copy(entry.value, depth + 1);
      if (value.empty() || !to_.DictSet(As<Dict>(copy), key, value)) return Value();
    }
    return copy;
  }

  Vm &from_, &to_;
  const bool moves_;
  Status error_;
  std::vector<std::pair<ByteArray*, ByteArray*>> moved_;
  std::unordered_map<const Object*, Value> seen_;
};

}  // namespace

Result<Value> CopyValue(Isolate& from, Value value, Isolate& to) {
  return Transfer(from.vm(), to.vm(), false).Run(value);
}

Result<Value> MoveValue(Isolate& from, Value value, Isolate& to) {
  return Transfer(from.vm(), to.vm(), true).Run(value);
}

void MovedBytes::Free::operator()(char* data) const {
  Deallocate(data);
}

Result<MovedBytes> MovedBytes::Allocate(size_t size) {
  MovedBytes bytes;
  bytes.size_ = size;
  bytes.capacity_ = std::max(size, kMaxSmall + 1);  // so that every heap takes it as it is
  bytes.data_.reset(static_cast<char*>(TryAllocate(bytes.capacity_, kGranule)));
  if (bytes.data_ == nullptr || size > kMaxStringBytes)
    return Status::Of(Code::kOutOfMemory, "no memory for {} bytes", size);
  return bytes;
}

Result<MovedBytes> TakeBytes(Isolate& isolate, Value bytearray) {
  if (!Is(bytearray, Type::kByteArray) || As<ByteArray>(bytearray)->typecode() != 0)
    return Status::Of(Code::kInvalidArgument, "a {} is no bytearray",
                      isolate.vm().TypeName(bytearray));
  auto* from = As<ByteArray>(bytearray);
  MovedBytes out;
  if (!IsMovable(from)) {
    FERRY_ASSIGN_OR_RETURN(out, MovedBytes::Allocate(from->size));
    if (from->size > 0) std::memcpy(out.data(), from->data, from->size);
    from->size = 0;
    ForgetViews(isolate.vm(), from);
    return out;
  }
  out.data_.reset(from->data);
  out.size_ = from->size;
  out.capacity_ = from->capacity;
  isolate.vm().heap.Release(from->capacity);
  from->data = nullptr;
  from->size = from->capacity = 0;
  ForgetViews(isolate.vm(), from);
  return out;
}

Result<Value> GiveBytes(Isolate& isolate, MovedBytes bytes) {
  Vm& vm = isolate.vm();
  const Value v = vm.NewByteArray("");
  if (v.empty()) return vm.TakeFailure();
  if (bytes.data_ == nullptr) return v;
  if (!vm.heap.Hold(static_cast<int64_t>(bytes.capacity_))) {
    vm.OutOfMemory();
    return vm.TakeFailure();
  }
  auto* to = As<ByteArray>(v);
  vm.heap.FreeBuffer(to->data, to->capacity);
  to->data = bytes.data_.release();
  to->size = static_cast<uint32_t>(bytes.size_);
  to->capacity = static_cast<uint32_t>(bytes.capacity_);
  return v;
}

}  // namespace ferry::vm
