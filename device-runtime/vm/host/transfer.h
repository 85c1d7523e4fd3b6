// Values from one isolate to another and to the host. Isolates stay apart: what can change is
// copied or leaves its sender, what cannot may lie outside of both heaps and be shared.
#pragma once

#include <memory>

#include "device-runtime/vm/isolate.h"

namespace ferry::vm {

inline constexpr int kMaxTransferDepth = 200;  // values inside values

// A copy of `value`, which belongs to `from`, in `to`: None, bool, int, float, complex, str, bytes,
// bytearray, list, tuple, dict, set and frozenset of such, and objects of native types that can be
// shared (NativeType::share: tensors), whose data both then hold and both count. What `value` holds
// twice, or in a cycle, the copy does too. kInvalidArgument names the type of anything else
// (functions, instances), kMalformed past kMaxTransferDepth, kScriptMemory when it does not fit
// `to`. No script runs; neither isolate may run meanwhile.
Result<Value> CopyValue(Isolate& from, Value value, Isolate& to);

// The same, but the contents of every bytearray in `value` go over without being copied, and count
// in `to` alone: the bytearrays of `from` are empty then. After a failure nothing has left.
Result<Value> MoveValue(Isolate& from, Value value, Isolate& to);

// What a bytearray held, in no isolate.
class MovedBytes {
 public:
  MovedBytes() = default;
  // `size` bytes that are to be filled in; kOutOfMemory.
  static Result<MovedBytes> Allocate(size_t size);
  char* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  friend Result<MovedBytes> TakeBytes(Isolate& isolate, Value bytearray);
  friend Result<Value> GiveBytes(Isolate& isolate, MovedBytes bytes);
  struct Free {
    void operator()(char* data) const;
  };
  std::unique_ptr<char[], Free> data_;
  size_t size_ = 0, capacity_ = 0;
};

// Takes the contents of a bytearray, which is empty then and no longer counts them.
// kInvalidArgument: it is none.
Result<MovedBytes> TakeBytes(Isolate& isolate, Value bytearray);
// A new bytearray that holds these bytes and counts them. kScriptMemory: they do not fit and are
// freed.
Result<Value> GiveBytes(Isolate& isolate, MovedBytes bytes);

}  // namespace ferry::vm
