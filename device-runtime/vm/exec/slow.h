// Instructions that need objects with destructors, which Vm::Run cannot have.
#pragma once

#include "device-runtime/vm/exec/quick.h"
#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

Value BuildSet(Vm& vm, const Value* items, uint32_t count);
bool SetUpdate(Vm& vm, Dict* set, Value iterable);
// set.cc. `a` is a set, `b` any iterable where not said otherwise; results have the kind of `a`.
Value SetIntersection(Vm& vm, Value a, Value b);
Value SetDifference(Vm& vm, Value a, Value b);
bool SetSubtract(Vm& vm, Dict* set, Value other);
bool SetToggle(Vm& vm, Dict* set, Value other);                    // symmetric difference in place
Value SetBinary(Vm& vm, int op, Value a, Value b, bool in_place);  // two sets
void SetSwap(Dict* a, Dict* b);                                    // their items
Value FormatField(Vm& vm, Value v, Value spec, int conversion);
Value JoinStrings(Vm& vm, const Value* strings, uint32_t count);
Value SendOn(Vm& vm, Value iterator, Value sent, bool* over);
// keywords: dict of those after the bases, or empty.
Value BuildClass(Vm& vm, String* name, Value bases, Value body, Value keywords);
// A call of the class as type.__call__ does it: __new__, then __init__.
Value CallConstruct(Vm& vm, Class* cls, const Value* args, size_t count,
                    const Tuple* keyword_names);
Vm::Begin BeginConstruct(Vm& vm, Class* cls, Value* args, uint32_t count,
                         const Tuple* keyword_names, Value* result);
void RaiseStatement(Vm& vm, Value v, Value cause);  // cause empty: without `from`

// The next item of enumerate() or zip() of `count` parts, into registers; kUnknown: not these.
Quick NextUnpacked(Vm& vm, Iterator* it, Value* out, uint32_t count);

}  // namespace ferry::vm
