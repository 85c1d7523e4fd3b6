// Weak references: records that the collector does not follow to what they refer to.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

inline constexpr int kWeakTarget = 0;  // where the object lies as an int; None: it is gone
inline constexpr int kWeakCallback = 1;
inline constexpr int kWeakHash = 2;  // once it was asked for, else None

// What it refers to; nullptr: that is gone.
inline Object* WeakTarget(const Record* reference) {
  const Value at = reference->values[kWeakTarget];
  return at.IsSmallInt() ? reinterpret_cast<Object*>(static_cast<uintptr_t>(at.AsSmallInt()))
                         : nullptr;
}

// ---- lib/modules/_weakref.cc ----
// The record if `v` is a weak reference, else nullptr. No script runs.
Record* AsWeak(Vm& vm, Value v);

}  // namespace ferry::vm
