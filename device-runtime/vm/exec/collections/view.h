// Operators of dict views and of classes as types: d.keys() & other, int | None.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// The functions that give a Value give NotImplemented for other types. All but the two that only
// look may run scripts, where keys or items are those of scripts.

// Whether it is a view of keys or items.
bool IsSetView(Value v);
Value ViewBinary(Vm& vm, Operator op, Value a, Value b);
Value ViewCompare(Vm& vm, int op, Value a, Value b);
// item in view, for a view of keys or items. false: it failed.
bool ViewContains(Vm& vm, Value view, Value item, bool* contains);

// Whether it is a class, or what [] and | make of classes.
bool IsTypeLike(Value v);
// a | b of classes.
Value UnionOf(Vm& vm, Value a, Value b);
bool AliasEqual(Vm& vm, Alias* a, Alias* b, bool* equal);
bool AliasHash(Vm& vm, Alias* alias, uint64_t* hash);

}  // namespace ferry::vm
