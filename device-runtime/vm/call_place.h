// Where a script called a native function, and what its own functions are called: for modules that
// take declarations.
#pragma once

#include <cstdint>
#include <string>

#include "device-runtime/vm/native.h"

namespace ferry::vm {

struct ScriptPlace {
  std::string file;  // as the loader named it
  uint32_t line = 0;
};

// ---- host/call_place.cc
// The place of the call that runs now.
ScriptPlace PlaceOfCall(const CallContext& c);
// The name in the `def` of a script's function; empty for every other value, lambdas too.
std::string FunctionName(Value v);

}  // namespace ferry::vm
