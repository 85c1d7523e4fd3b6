// operator.itemgetter, attrgetter and methodcaller.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

extern const RecordType kAttrGetter, kItemGetter, kMethodCaller;

// Whether there are exactly `count` positional arguments; false: a TypeError that names the running
// function.
bool ExpectOf(Vm& vm, const Args& args, uint32_t count);

}  // namespace ferry::vm
