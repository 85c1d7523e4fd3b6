// Text to bytes and back: utf-8 (also with its mark, "utf-8-sig"), ascii, latin-1, cp1252, utf-16
// and utf-32 in both orders, unicode_escape and raw_unicode_escape; error handlers strict, ignore,
// replace, backslashreplace, xmlcharrefreplace, surrogateescape and surrogatepass.
#pragma once

#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// ---- encode.cc ----
// Empty names mean "utf-8" and "strict". Fails with LookupError or a UnicodeError.
Value EncodeText(Vm& vm, Value text, std::string_view encoding, std::string_view errors);

// ---- decode.cc ----
// `object` is what holds the bytes, for the exception; its bytes must not change meanwhile.
Value DecodeBytes(Vm& vm, Value object, std::string_view bytes, std::string_view encoding,
                  std::string_view errors);

// The arguments (encoding="utf-8", errors="strict") of a method, after self.
struct CodecNames {
  std::string_view encoding, errors;
};

// ---- codec_kind.cc ----
bool CodecArguments(Vm& vm, const Args& args, const char* name, CodecNames* out);

// ---- lib/types/unicode_errors.cc ----
// Raises with the attributes and the text of CPython's; empty.
Value RaiseEncodeError(Vm& vm, std::string_view encoding, Value object, size_t start, size_t end,
                       std::string_view reason);
Value RaiseDecodeError(Vm& vm, std::string_view encoding, Value object, size_t start, size_t end,
                       std::string_view reason);

}  // namespace ferry::vm
