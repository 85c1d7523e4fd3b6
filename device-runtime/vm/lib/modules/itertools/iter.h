// The classes of itertools; itertools.cc makes the module of them.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

// A new record of the type with `count` values, all None; nullptr: there is no memory.
inline Record* NewIter(Vm& vm, const RecordType& type, uint32_t count) {
  Class* cls = ClassOfRecord(vm, type);
  const Value v = cls == nullptr ? Value() : vm.NewRecord(cls, count);
  return v.empty() ? nullptr : As<Record>(v);
}
// ---- source.cc ----
extern const RecordType kChain, kCount, kCycle, kISlice, kRepeat;
// Adds from_iterable() to chain; false: there is no memory.
bool AddFromIterable(Vm& vm);

// ---- filter.cc ----
extern const RecordType kAccumulate, kCompress, kDropWhile, kFilterFalse, kPairwise, kStarMap,
    kTakeWhile;

// ---- combine.cc ----
extern const RecordType kCombinations, kCombinationsWithReplacement, kPermutations, kProduct;

// ---- group.cc ----
extern const RecordType kGroupBy, kGrouper, kTee, kZipLongest;
// itertools.tee(). Empty: it failed. Scripts may run.
Value TeeFunction(Vm& vm, Args& args);

}  // namespace ferry::vm
