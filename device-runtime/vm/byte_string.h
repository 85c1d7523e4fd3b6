// Bytes of C++ code as a script's `bytes`; beside native.h, for the few modules that hand out
// files.
// ---- host/context.cc
#pragma once

#include <string_view>

#include "device-runtime/vm/native.h"

namespace ferry::vm {

// kScriptMemory when there is no room.
Result<Value> NewByteString(CallContext& c, std::string_view bytes);

}  // namespace ferry::vm
