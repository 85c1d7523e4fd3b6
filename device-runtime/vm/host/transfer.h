// Values from one isolate to another: by copy, so that isolates stay apart.
#pragma once

#include "device-runtime/vm/isolate.h"

namespace ferry::vm {

inline constexpr int kMaxTransferDepth = 200;  // values inside values

// A copy of `value`, which belongs to `from`, in `to`: None, bool, int, float, complex, str, bytes,
// bytearray, list, tuple, dict, set and frozenset of such. What `value` holds twice, or in a cycle,
// the copy does too. kInvalidArgument names the type of anything else (functions, instances,
// tensors), kMalformed past kMaxTransferDepth, kScriptMemory when it does not fit `to`. No script
// runs; neither isolate may run meanwhile.
Result<Value> CopyValue(Isolate& from, Value value, Isolate& to);

}  // namespace ferry::vm
