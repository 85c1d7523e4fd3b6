// Keys from passwords.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// hashlib.pbkdf2_hmac. Empty: it failed. No script runs.
Value Pbkdf2(Vm& vm, Args& args);

}  // namespace ferry::vm
