// A bound for recursion of C++ code.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// One level of native recursion that scripts can make deep, for as long as the object lives. Not
// ok(): RecursionError is pending, and the caller gives up.
class NativeLevel {
 public:
  explicit NativeLevel(Vm& vm) : vm_(vm) {
    if (++vm.native_depth > kMaxNativeDepth) vm.TooDeep();
  }
  ~NativeLevel() { --vm_.native_depth; }
  bool ok() const { return vm_.native_depth <= kMaxNativeDepth; }

 private:
  Vm& vm_;
};

}  // namespace ferry::vm
