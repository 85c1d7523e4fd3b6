#include <cstdint>

#include "device-runtime/vm/syntax/names.h"
#include "device-runtime/vm/syntax/token.h"

namespace ferry::vm {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads exactly `digits` hexadecimal digits at `*at`.
bool ReadHex(std::string_view body, size_t* at, int digits, uint32_t* out) {
  *out = 0;
  for (int i = 0; i < digits; ++i, ++*at) {
    if (*at >= body.size()) return false;
    const int digit = HexDigit(body[*at]);
    if (digit < 0) return false;
    *out = *out * 16 + static_cast<uint32_t>(digit);
  }
  return true;
}

char SimpleEscape(char c) {
  switch (c) {
    case '\\':
      return '\\';
    case '\'':
      return '\'';
    case '"':
      return '"';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return 0;
  }
}

bool HexEscape(std::string_view body, size_t* at, char kind, bool bytes, std::string* out,
               std::string* problem) {
  const int digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
  uint32_t code = 0;
  if (!ReadHex(body, at, digits, &code)) {
    *problem = std::string("bad \\") + kind + " escape";
    return false;
  }
  if (bytes) {
    out->push_back(static_cast<char>(code));
    return true;
  }
  if (code > 0x10FFFF) {
    *problem = "escape is no Unicode character";
    return false;
  }
  AppendUtf8(code, out);
  return true;
}

// What follows \N.
bool NamedEscape(std::string_view body, size_t* at, std::string* out, std::string* problem) {
  const size_t end = body.find('}', *at);
  if (*at >= body.size() || body[*at] != '{' || end == std::string_view::npos || end == *at + 1) {
    *problem = "malformed \\N character escape";
    return false;
  }
  const std::string_view name = body.substr(*at + 1, end - *at - 1);
  const uint32_t code = NamedCharacter(name);
  if (code == 0) {
    *problem = "unknown Unicode character name: only common ones are known here, write \\u or \\U";
    return false;
  }
  *at = end + 1;
  AppendUtf8(code, out);
  return true;
}

}  // namespace

bool Unescape(std::string_view body, bool bytes, std::string* out, std::string* problem) {
  out->reserve(out->size() + body.size());  // no escape is shorter than what it stands for
  for (size_t i = 0; i < body.size();) {
    if (body[i] != '\\' || i + 1 >= body.size()) {
      out->push_back(body[i++]);
      continue;
    }
    const char c = body[i + 1];
    i += 2;
    if (c == '\n') continue;
    if (const char simple = SimpleEscape(c); simple != 0) {
      out->push_back(simple);
    } else if (c >= '0' && c <= '7') {
      uint32_t code = static_cast<uint32_t>(c - '0');
      for (int n = 1; n < 3 && i < body.size() && body[i] >= '0' && body[i] <= '7'; ++n)
        code = code * 8 + static_cast<uint32_t>(body[i++] - '0');
      if (bytes) {
        out->push_back(static_cast<char>(code));
      } else {
        AppendUtf8(code, out);
      }
    } else if (c == 'x' || (!bytes && (c == 'u' || c == 'U'))) {
      if (!HexEscape(body, &i, c, bytes, out, problem)) return false;
    } else if (!bytes && c == 'N') {
      if (!NamedEscape(body, &i, out, problem)) return false;
    } else {
      out->push_back('\\');
      out->push_back(c);
    }
  }
  return true;
}

}  // namespace ferry::vm
