// Byte strings and their text forms. Source: RFC 4648 for base64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry {

using Bytes = std::vector<uint8_t>;
using ByteView = std::span<const uint8_t>;

inline ByteView AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string_view AsText(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Bytes ToBytes(ByteView bytes) {
  return Bytes(bytes.begin(), bytes.end());
}
inline Bytes ToBytes(std::string_view text) {
  return ToBytes(AsBytes(text));
}

// Lower-case hexadecimal.
std::string ToHex(ByteView bytes);
// kMalformed for an odd length or a character outside 0-9a-fA-F.
Result<Bytes> FromHex(std::string_view text);

// The standard alphabet with padding.
std::string ToBase64(ByteView bytes);
// kMalformed for anything that ToBase64 would not write (padding is required, spare bits are zero).
Result<Bytes> FromBase64(std::string_view text);

// Little-endian numbers in byte strings, at any alignment.
void PutU32(uint8_t* at, uint32_t value);
void PutU64(uint8_t* at, uint64_t value);
uint32_t GetU32(const uint8_t* at);
uint64_t GetU64(const uint8_t* at);

}  // namespace ferry
