#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// hashlib.pbkdf2_hmac.
Value Pbkdf2(Vm& vm, Args& args);

}  // namespace ferry::vm
