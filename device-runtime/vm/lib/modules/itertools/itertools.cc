// itertools: the classes are in iter/.
#include "device-runtime/vm/lib/modules/itertools/iter.h"

namespace ferry::vm {

Value MakeItertools(Vm& vm) {
  static constexpr const RecordType* kTypes[] = {
      &kAccumulate,  &kChain,        &kCombinations, &kCombinationsWithReplacement,
      &kCompress,    &kCount,        &kCycle,        &kDropWhile,
      &kFilterFalse, &kGroupBy,      &kGrouper,      &kISlice,
      &kPairwise,    &kPermutations, &kProduct,      &kRepeat,
      &kStarMap,     &kTakeWhile,    &kTee,          &kZipLongest};
  static constexpr BuiltinRow kFunctions[] = {{"tee", TeeFunction}};
  const Value module = MakeModule(vm, "itertools", kFunctions);
  if (module.empty() || !AddFromIterable(vm)) return Value();
  for (const RecordType* type : kTypes) {
    Class* cls = ClassOfRecord(vm, *type);
    if (cls == nullptr || !vm.SetVariable(As<Module>(module), type->name, Value::Of(cls)))
      return Value();
  }
  return module;
}

}  // namespace ferry::vm
