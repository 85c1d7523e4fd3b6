// The classes of itertools; itertools.cc makes the module of them.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

extern const RecordType kAccumulate, kChain, kCombinations, kCombinationsWithReplacement, kCompress,
    kCount, kCycle, kDropWhile, kFilterFalse, kGroupBy, kGrouper, kISlice, kPairwise, kPermutations,
    kProduct, kRepeat, kStarMap, kTakeWhile, kTee, kZipLongest;

// A new record of the type with `count` values, all None.
inline Record* NewIter(Vm& vm, const RecordType& type, uint32_t count) {
  Class* cls = ClassOfRecord(vm, type);
  const Value v = cls == nullptr ? Value() : vm.NewRecord(cls, count);
  return v.empty() ? nullptr : As<Record>(v);
}
bool AddFromIterable(Vm& vm);  // to chain
Value TeeFunction(Vm& vm, Args& args);

}  // namespace ferry::vm
