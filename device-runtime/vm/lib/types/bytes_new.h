// The bytes that arguments of bytes() and bytearray() stand for.
#pragma once

#include <string>

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

// (source, encoding, errors). `name` is "bytes" or "bytearray"; false: reported.
bool BytesArgument(Vm& vm, const Args& args, const char* name, const char* range_error,
                   std::string* out);
// A count, a bytes-like object or an iterable of ints.
bool BytesOfValue(Vm& vm, Value v, const char* name, const char* range_error, std::string* out);

}  // namespace ferry::vm
