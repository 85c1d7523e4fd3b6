// Operators of dict views and of classes as types: d.keys() & other, int | None.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

bool IsSetView(Value v);  // keys or items
Value ViewBinary(Vm& vm, Operator op, Value a, Value b);
Value ViewCompare(Vm& vm, int op, Value a, Value b);
// Of a set view.
bool ViewContains(Vm& vm, Value view, Value item, bool* contains);

bool IsTypeLike(Value v);  // a class or what [] and | make of classes
Value UnionOf(Vm& vm, Value a, Value b);
bool AliasEqual(Vm& vm, Alias* a, Alias* b, bool* equal);
bool AliasHash(Vm& vm, Alias* alias, uint64_t* hash);

}  // namespace ferry::vm
