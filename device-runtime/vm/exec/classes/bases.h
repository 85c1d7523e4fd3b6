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
// Works out the plan of a class with these bases; false: a TypeError is pending. No script runs.
bool PlanBases(Vm& vm, Tuple* bases, Plan* plan);
// Asks the metaclass's mro(), if it has one of its own, for the order of a new class. false: it
// failed. Scripts may run.
bool AskOrder(Vm& vm, Class* cls);
// `cls.__bases__ = bases`: new orders for the class and all that derive from it. false: it failed,
// and all are as they were. Scripts may run.
bool AssignBases(Vm& vm, Class* cls, Value bases);
// What type.mro gives: the class's order as its bases say it; empty when they contradict each
// other. No script runs.
Value DefaultOrder(Vm& vm, Class* cls);
// __base__: the first base with the layout of the instances; None for object.
Value BestBase(Vm& vm, Class* cls);
// Whether `base` is among the bases that the class was made from.
bool IsDirectBase(const Class* cls, const Class* base);

}  // namespace ferry::vm
