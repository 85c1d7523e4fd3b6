// operator.itemgetter, attrgetter and methodcaller.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

extern const RecordType kAttrGetter, kItemGetter, kMethodCaller;

// Exactly `count` positional arguments; a TypeError that names the running function otherwise.
bool ExpectOf(Vm& vm, const Args& args, uint32_t count);

}  // namespace ferry::vm
