#include "device-runtime/vm/text/text.h"

#include <cmath>
#include <cstring>

#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/number_text.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm {
namespace {

// The length of the well-formed sequence at `i`, or 0.
size_t Sequence(std::string_view s, size_t i, bool surrogates = false) {
  const auto at = [&](size_t k) { return static_cast<unsigned char>(s[k]); };
  const unsigned char c = at(i);
  if (c < 0x80) return 1;
  const size_t size = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
  if (c < 0xC2 || c > 0xF4 || i + size > s.size()) return 0;
  for (size_t k = 1; k < size; ++k)
    if ((at(i + k) & 0xC0) != 0x80) return 0;
  if (c == 0xE0 && at(i + 1) < 0xA0) return 0;
  if (c == 0xED && at(i + 1) > 0x9F && !surrogates) return 0;
  if (c == 0xF0 && at(i + 1) < 0x90) return 0;
  if (c == 0xF4 && at(i + 1) > 0x8F) return 0;
  return size;
}

}  // namespace

void AppendUtf8(uint32_t c, std::string* out) {
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out->push_back(static_cast<char>(0xC0 | c >> 6));
    out->push_back(static_cast<char>(0x80 | (c & 63)));
  } else if (c < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | c >> 12));
    out->push_back(static_cast<char>(0x80 | (c >> 6 & 63)));
    out->push_back(static_cast<char>(0x80 | (c & 63)));
  } else {
    out->push_back(static_cast<char>(0xF0 | c >> 18));
    out->push_back(static_cast<char>(0x80 | (c >> 12 & 63)));
    out->push_back(static_cast<char>(0x80 | (c >> 6 & 63)));
    out->push_back(static_cast<char>(0x80 | (c & 63)));
  }
}

// How many bytes at the beginning are ASCII, in steps of eight.
static size_t AsciiPrefix(std::string_view bytes) {
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    if ((word & 0x8080808080808080ull) != 0) break;
  }
  return i;
}

size_t CodePoints(std::string_view utf8) {
  size_t count = 0, i = 0;
  constexpr uint64_t kOnes = 0x0101010101010101ull;
  for (; i + 8 <= utf8.size(); i += 8) {  // eight bytes at once: those that continue no sequence
    uint64_t word;
    std::memcpy(&word, utf8.data() + i, sizeof word);
    const uint64_t continued = (word >> 7) & ~(word >> 6) & kOnes;
    count += 8 - ((continued * kOnes) >> 56);
  }
  for (; i < utf8.size(); ++i) count += (static_cast<unsigned char>(utf8[i]) & 0xC0) != 0x80;
  return count;
}

bool IsUtf8(std::string_view bytes) {
  for (size_t i = AsciiPrefix(bytes); i < bytes.size();) {
    const size_t size = Sequence(bytes, i);
    if (size == 0) return false;
    i += size;
  }
  return true;
}

bool IsText(std::string_view bytes) {
  for (size_t i = AsciiPrefix(bytes); i < bytes.size();) {
    const size_t size = Sequence(bytes, i, true);
    if (size == 0) return false;
    i += size;
  }
  return true;
}

std::string RepairUtf8(std::string_view bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size();) {
    const size_t size = Sequence(bytes, i);
    if (size == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
    } else {
      out += bytes.substr(i, size);
      i += size;
    }
  }
  return out;
}

size_t Utf8Offset(std::string_view utf8, size_t index) {
  size_t at = 0;
  for (; index > 0 && at < utf8.size(); --index) at += Utf8Size(utf8[at]);
  return at;
}

uint32_t Utf8Next(std::string_view s, size_t* at) {
  const auto byte = [&](size_t k) {
    return static_cast<uint32_t>(static_cast<unsigned char>(s[k]));
  };
  const size_t i = *at;
  const size_t size = Utf8Size(s[i]);
  *at += size;
  if (size == 1 || i + size > s.size()) return byte(i);
  if (size == 2) return (byte(i) & 31) << 6 | (byte(i + 1) & 63);
  if (size == 3) return (byte(i) & 15) << 12 | (byte(i + 1) & 63) << 6 | (byte(i + 2) & 63);
  return (byte(i) & 7) << 18 | (byte(i + 1) & 63) << 12 | (byte(i + 2) & 63) << 6 |
         (byte(i + 3) & 63);
}

bool IsSpace(uint32_t c) {
  return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

void AppendQuoted(std::string_view utf8, bool ascii, std::string* out) {
  const bool single = utf8.find('\'') != std::string_view::npos;
  const char quote = single && utf8.find('"') == std::string_view::npos ? '"' : '\'';
  const auto hex = [&](uint32_t c) {
    char buffer[16];
    const char* form = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
    std::snprintf(buffer, sizeof buffer, form, c);
    *out += buffer;
  };
  out->push_back(quote);
  for (size_t i = 0; i < utf8.size();) {
    const size_t start = i;
    const uint32_t c = Utf8Next(utf8, &i);
    if (c == static_cast<uint32_t>(quote) || c == '\\') {
      out->push_back('\\');
      out->push_back(static_cast<char>(c));
    } else if (c == '\n') {
      *out += "\\n";
    } else if (c == '\r') {
      *out += "\\r";
    } else if (c == '\t') {
      *out += "\\t";
    } else if (c >= 0x80 ? ascii || !IsPrintable(c) : c < 0x20 || c == 0x7F) {
      hex(c);
    } else {
      *out += utf8.substr(start, i - start);
    }
  }
  out->push_back(quote);
}

std::string FloatRepr(double d) {
  const std::string text = FormatDouble(d, {.type = 'r', .point_zero = true});
  return std::signbit(d) && !std::isnan(d) ? "-" + text : text;
}

}  // namespace ferry::vm
