// The stack of values that native code keeps alive: pushing is a store and taking back is one
// number, for hundreds of functions do both.
#pragma once

#include <cstddef>
#include <memory>

#include "device-runtime/vm/value.h"

namespace ferry::vm {

class RootStack {
 public:
  size_t size() const { return size_; }
  Value* data() { return values_.get(); }
  const Value* begin() const { return values_.get(); }
  const Value* end() const { return values_.get() + size_; }
  Value& operator[](size_t at) { return values_[at]; }

  void Push(Value v) {
    if (size_ == capacity_) [[unlikely]]
      Grow();
    values_[size_++] = v;
  }
  void Pop() { --size_; }
  // To the size that it had before; nothing when it is smaller by now (a failure took back all).
  void TakeBack(size_t size) {
    if (size < size_) size_ = size;
  }

 private:
  // ---- heap.cc ----
  [[gnu::cold]] void Grow();

  // ---- state ----

  std::unique_ptr<Value[]> values_;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace ferry::vm
