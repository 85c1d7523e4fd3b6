// What the files of bytes and bytearray share.
#pragma once

#include <string>
#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

inline constexpr std::string_view kBytesSpace = " \t\n\r\x0b\f";

// The bytes of self, bytes or bytearray; to be asked again after anything that may run scripts.
inline std::string_view BytesSelf(const Args& args) {
  return Is(args[0], Type::kBytes) ? As<BytesObject>(args[0])->view()
                                   : As<ByteArray>(args[0])->view();
}

// What bytes.hex(separator, group) gives, "68:65"; empty: it failed.
Value HexOfBytes(Vm& vm, const Args& args, std::string_view bytes);
// The bytes of pairs of hexadecimal digits with space between them; false: a ValueError.
bool ParseHex(Vm& vm, Value text, std::string* out);

// The bytes that arguments (source, encoding, errors) of bytes() or bytearray() (`name`) stand for.
// false: reported, with the text `range_error` for an int that is no byte. Scripts may run.
bool BytesArgument(Vm& vm, const Args& args, const char* name, const char* range_error,
                   std::string* out);
// The same of one value: a count, a bytes-like object or an iterable of ints.
bool BytesOfValue(Vm& vm, Value v, const char* name, const char* range_error, std::string* out);

}  // namespace ferry::vm
