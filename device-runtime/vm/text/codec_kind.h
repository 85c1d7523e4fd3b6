// What encoder and decoder share.
#pragma once

#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

enum class Codec : uint8_t {
  kUtf8,
  kUtf8Sig,
  kAscii,
  kLatin1,
  kCp1252,
  kUtf16,
  kUtf16Le,
  kUtf16Be,
  kUtf32,
  kUtf32Le,
  kUtf32Be,
  kUnicodeEscape,
  kRawUnicodeEscape,
};

// False: LookupError, "unknown encoding: ...".
bool FindCodec(Vm& vm, std::string_view name, Codec* codec);
const char* CodecName(Codec codec);  // as exceptions name it

enum class Handler : uint8_t {
  kStrict,
  kIgnore,
  kReplace,
  kBackslash,
  kXml,
  kSurrogateEscape,
  kSurrogatePass,
  kUnknown,
};
Handler FindHandler(std::string_view name);
void RaiseHandler(Vm& vm, std::string_view name);

// The code point of byte 0x80 + i in cp1252; 0: none.
extern const uint16_t kCp1252[32];

}  // namespace ferry::vm
