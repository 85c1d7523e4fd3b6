// Slices of sequences: v[start:stop:step] read, assigned and deleted.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// The slice of a list, tuple, str, bytes or range. Empty: it failed. An __index__ of the parts may
// run scripts, before the length is read.
Value SliceOf(Vm& vm, Value v, Slice* slice);
// list[slice] = value; an empty value deletes. false: it failed. Scripts may run while the parts
// are made integers and the value is made a list.
bool SetSlice(Vm& vm, List* list, Slice* slice, Value value);

// The functions below take start, stop and step as three values, so that no slice object is made.

// The slice of an exact built-in list, tuple or ASCII string, with parts that are small integers or
// None. Empty with something pending: it failed. Empty with nothing pending: it is something else,
// which Vm::Index knows. No script runs.
Value QuickSlice(Vm& vm, Value v, const Value* parts);
// The same for every type that SliceOf takes; empty as above.
Value SliceOfParts(Vm& vm, Value v, const Value* parts);
// v[start:stop:step] = value, of exact built-in lists alone. false with something pending: it
// failed. false with nothing pending: it is something else, which Vm::SetIndex knows.
bool SetSliceOfParts(Vm& vm, Value v, const Value* parts, Value value);

}  // namespace ferry::vm
