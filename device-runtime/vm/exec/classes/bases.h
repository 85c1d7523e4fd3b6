// What a class derives from: the order in which names are looked up, and the layout of instances.
#pragma once

#include <vector>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

struct Plan {
  std::vector<Class*> bases;
  std::vector<Class*> mro;  // what follows the class itself
  Class* solid = nullptr;   // the base whose layout instances have
};
// Of a class with these bases; false: a TypeError is pending.
bool PlanBases(Vm& vm, Tuple* bases, Plan* plan);
// Asks the metaclass's mro(), if it has one of its own, for the order of a new class.
bool AskOrder(Vm& vm, Class* cls);
// `cls.__bases__ = bases`: new orders for the class and all that derive from it.
bool AssignBases(Vm& vm, Class* cls, Value bases);
// What type.mro gives: the class's order as its bases say it; empty when they contradict each
// other.
Value DefaultOrder(Vm& vm, Class* cls);
// __base__: the first base with the layout of the instances; None of object.
Value BestBase(Vm& vm, Class* cls);
// Whether `base` is among the bases that the class was made from.
bool IsDirectBase(const Class* cls, const Class* base);

}  // namespace ferry::vm
