#include "device-runtime/vm/host/transfer.h"

#include <cstring>
#include <unordered_map>

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {
namespace {

// What a copied object costs here for the length of a transfer.
constexpr size_t kSeenBytes = 64;

class Transfer {
 public:
  Transfer(Vm& from, Vm& to) : from_(from), to_(to) {}

  Result<Value> Run(Value value) {
    const Value copy = Copy(value, 0);
    if (!error_.ok()) return error_;
    if (copy.empty() || to_.failed()) return to_.TakeFailure();
    return copy;
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
        return v.object()->aux == 0 ? Seen(v, to_.NewByteArray(As<ByteArray>(v)->view()))
                                    : Other(v);
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
      default:
        return Other(v);
    }
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
  Status error_;
  std::unordered_map<const Object*, Value> seen_;
};

}  // namespace

Result<Value> CopyValue(Isolate& from, Value value, Isolate& to) {
  return Transfer(from.vm(), to.vm()).Run(value);
}

}  // namespace ferry::vm
