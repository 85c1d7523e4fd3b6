// Exception classes of library modules written in C++, such as struct.error.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

// The class of this isolate that `key` (static; module and name) stands for, made when first asked
// for. nullptr: there is no memory.
Class* ErrorClass(Vm& vm, const RecordType& key, Error base = Error::kException);
// Raises such an exception. Empty.
Value RaiseError(Vm& vm, const RecordType& key, std::string_view message,
                 Error base = Error::kException);

}  // namespace ferry::vm
