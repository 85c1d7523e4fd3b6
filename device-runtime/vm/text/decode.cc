#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/codec.h"
#include "device-runtime/vm/text/codec_kind.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr bool IsSurrogate(uint32_t c) {
  return c >= 0xD800 && c < 0xE000;
}

struct Decoder {
  Vm& vm;
  const char* name;
  Value object;
  std::string_view s;  // all the bytes
  std::string_view errors;
  TextBuilder out;
  size_t at = 0;

  Decoder(Vm& vm_in, Codec codec, Value object_in, std::string_view bytes,
          std::string_view errors_in)
      : vm(vm_in),
        name(CodecName(codec)),
        object(object_in),
        s(bytes),
        errors(errors_in),
        out(vm_in) {}

  uint32_t Byte(size_t i) const { return static_cast<unsigned char>(s[i]); }
  // The bytes [at, end) are wrong: what the handler makes of them; goes on after them.
  bool Handle(size_t end, const char* reason);
  bool Pass(size_t end, bool* done);
  bool Utf8();
  bool OneUtf8();
  bool Narrow(Codec codec);
  bool Wide(int unit, bool big);
  uint32_t Unit(size_t i, int unit, bool big) const;
  bool Escapes(bool raw);
  bool Hex(size_t start, size_t digits, const char* reason);
  bool Octal();
};

// surrogatepass: one surrogate as the encoding would write it.
bool Decoder::Pass(size_t end, bool* done) {
  *done = false;
  uint32_t c = 0;
  size_t size = 0;
  const std::string_view kind = name;
  if (kind == "utf-8") {
    size = 3;
    if (at + 3 > s.size() || Byte(at) != 0xED || (Byte(at + 1) & 0xE0) != 0xA0 ||
        (Byte(at + 2) & 0xC0) != 0x80)
      return true;
    c = 0xD000 | (Byte(at + 1) & 0x3F) << 6 | (Byte(at + 2) & 0x3F);
  } else if (kind.starts_with("utf-16") || kind.starts_with("utf-32")) {
    size = kind.starts_with("utf-16") ? 2 : 4;
    if (at + size > s.size()) return true;
    c = Unit(at, static_cast<int>(size), kind.ends_with("be"));
  }
  (void)end;
  if (size == 0 || !IsSurrogate(c)) return true;
  *done = true;
  at += size;
  return out.AppendCode(c);
}

bool Decoder::Handle(size_t end, const char* reason) {
  switch (FindHandler(errors)) {
    case Handler::kIgnore:
      break;
    case Handler::kReplace:
      if (!out.Append("\xEF\xBF\xBD")) return false;
      break;
    case Handler::kBackslash:
      for (size_t i = at; i < end; ++i)
        if (!out.Append(fmt::format("\\x{:02x}", Byte(i)))) return false;
      break;
    case Handler::kSurrogateEscape: {
      size_t i = at;
      for (; i < end && Byte(i) >= 0x80; ++i)
        if (!out.AppendCode(0xDC00 + Byte(i))) return false;
      if (i == at) return !RaiseDecodeError(vm, name, object, at, end, reason).empty();
      at = i;
      return true;
    }
    case Handler::kSurrogatePass: {
      bool done;
      if (!Pass(end, &done)) return false;
      if (done) return true;
      return !RaiseDecodeError(vm, name, object, at, end, reason).empty();
    }
    case Handler::kUnknown:
      RaiseHandler(vm, errors);
      return false;
    case Handler::kXml:
      vm.Raise(Error::kTypeError, "don't know how to handle UnicodeDecodeError in error callback");
      return false;
    case Handler::kStrict:
      return !RaiseDecodeError(vm, name, object, at, end, reason).empty();
  }
  at = end;
  return true;
}

bool Decoder::OneUtf8() {
  const uint32_t lead = Byte(at);
  if (lead < 0xC2 || lead > 0xF4) return Handle(at + 1, "invalid start byte");
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  for (size_t i = 1; i < size; ++i) {
    if (at + i >= s.size()) return Handle(s.size(), "unexpected end of data");
    const uint32_t low = i > 1 ? 0x80u : lead == 0xE0 ? 0xA0u : lead == 0xF0 ? 0x90u : 0x80u;
    const uint32_t high = i > 1 ? 0xBFu : lead == 0xED ? 0x9Fu : lead == 0xF4 ? 0x8Fu : 0xBFu;
    if (Byte(at + i) < low || Byte(at + i) > high)
      return Handle(at + i, "invalid continuation byte");
  }
  if (!out.Append(s.substr(at, size))) return false;
  at += size;
  return true;
}

bool Decoder::Utf8() {
  while (at < s.size()) {
    size_t end = at;
    while (end < s.size() && Byte(end) < 0x80) ++end;
    if (!out.Append(s.substr(at, end - at))) return false;
    at = end;
    if (at < s.size() && !OneUtf8()) return false;
  }
  return true;
}

bool Decoder::Narrow(Codec codec) {
  while (at < s.size()) {
    uint32_t c = Byte(at);
    if (codec == Codec::kAscii && c >= 0x80) {
      if (!Handle(at + 1, "ordinal not in range(128)")) return false;
      continue;
    }
    if (codec == Codec::kCp1252 && c >= 0x80 && c < 0xA0) {
      c = kCp1252[c - 0x80];
      if (c == 0) {
        if (!Handle(at + 1, "character maps to <undefined>")) return false;
        continue;
      }
    }
    if (!out.AppendCode(c)) return false;
    ++at;
  }
  return true;
}

uint32_t Decoder::Unit(size_t i, int unit, bool big) const {
  uint32_t c = 0;
  for (int k = 0; k < unit; ++k)
    c |= Byte(i + static_cast<size_t>(k)) << 8 * (big ? unit - 1 - k : k);
  return c;
}

bool Decoder::Wide(int unit, bool big) {
  const auto step = static_cast<size_t>(unit);
  while (at < s.size()) {
    if (s.size() - at < step) {
      if (!Handle(s.size(), "truncated data")) return false;
      continue;
    }
    uint32_t c = Unit(at, unit, big);
    size_t used = step;
    const char* wrong = nullptr;
    if (unit == 4) {
      if (c > 0x10FFFF) wrong = "code point not in range(0x110000)";
      if (IsSurrogate(c)) wrong = "code point in surrogate code point range(0xd800, 0xe000)";
    } else if (c >= 0xDC00 && c < 0xE000) {
      wrong = "illegal encoding";
    } else if (IsSurrogate(c)) {
      if (s.size() - at < 4) {
        if (!Handle(s.size(), "unexpected end of data")) return false;
        continue;
      }
      const uint32_t low = Unit(at + 2, 2, big);
      if (low < 0xDC00 || low >= 0xE000) wrong = "illegal UTF-16 surrogate";
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
      used = 4;
    }
    if (wrong != nullptr) {
      if (!Handle(at + step, wrong)) return false;
      continue;
    }
    if (!out.AppendCode(c)) return false;
    at += used;
  }
  return true;
}

bool Decoder::Hex(size_t start, size_t digits, const char* reason) {
  uint32_t c = 0;
  size_t i = start;
  for (; i < s.size() && i < start + digits; ++i) {
    const char x = static_cast<char>(s[i] | 32);
    if (s[i] >= '0' && s[i] <= '9') {
      c = c * 16 + static_cast<uint32_t>(s[i] - '0');
    } else if (x >= 'a' && x <= 'f') {
      c = c * 16 + static_cast<uint32_t>(x - 'a' + 10);
    } else {
      break;
    }
  }
  if (i < start + digits) return Handle(i, reason);
  if (c > 0x10FFFF) return Handle(i, "illegal Unicode character");
  at = i;
  return out.AppendCode(c);
}

bool Decoder::Octal() {
  uint32_t c = 0;
  size_t i = at + 1;
  for (; i < s.size() && i < at + 4 && s[i] >= '0' && s[i] <= '7'; ++i)
    c = c * 8 + static_cast<uint32_t>(s[i] - '0');
  at = i;
  return out.AppendCode(c);
}

bool Decoder::Escapes(bool raw) {
  static constexpr std::string_view kFrom = "abfnrtv\\'\"", kTo = "\a\b\f\n\r\t\v\\'\"";
  while (at < s.size()) {
    if (s[at] != '\\') {
      if (!out.AppendCode(Byte(at++))) return false;
      continue;
    }
    if (at + 1 >= s.size()) {
      if (raw) return out.Append(s[at++]);
      if (!Handle(s.size(), "\\ at end of string")) return false;
      continue;
    }
    const char c = s[at + 1];
    const size_t simple = kFrom.find(c);
    if (c == 'u' || c == 'U' || (c == 'x' && !raw)) {
      const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      const char* reason = c == 'x'   ? "truncated \\xXX escape"
                           : c == 'u' ? "truncated \\uXXXX escape"
                                      : "truncated \\UXXXXXXXX escape";
      if (!Hex(at + 2, digits, reason)) return false;
    } else if (raw) {
      if (!out.Append(s[at]) || !out.AppendCode(Byte(at + 1))) return false;
      at += 2;
    } else if (c == '\n') {
      at += 2;
    } else if (simple != std::string_view::npos) {
      if (!out.Append(kTo[simple])) return false;
      at += 2;
    } else if (c >= '0' && c <= '7') {
      if (!Octal()) return false;
    } else {
      if (!out.Append('\\')) return false;
      ++at;
    }
  }
  return true;
}

// The byte order that a mark at the start gives; skips the mark.
bool BigEndian(Decoder* decoder, Codec codec) {
  const std::string_view s = decoder->s;
  const auto mark = [&](std::string_view bytes) {
    if (!s.starts_with(bytes)) return false;
    decoder->at = bytes.size();
    return true;
  };
  switch (codec) {
    case Codec::kUtf16:
      return !mark({"\xFF\xFE", 2}) && mark({"\xFE\xFF", 2});
    case Codec::kUtf32:
      return !mark({"\xFF\xFE\0\0", 4}) && mark({"\0\0\xFE\xFF", 4});
    default:
      return codec == Codec::kUtf16Be || codec == Codec::kUtf32Be;
  }
}

}  // namespace

Value DecodeBytes(Vm& vm, Value object, std::string_view bytes, std::string_view encoding,
                  std::string_view errors) {
  Codec codec = Codec::kUtf8;
  if (!encoding.empty() && !FindCodec(vm, encoding, &codec)) return Value();
  if (!vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 64))) return Value();
  if (codec == Codec::kUtf8 && IsUtf8(bytes)) return vm.NewString(bytes);
  if (!vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 16))) return Value();
  Decoder decoder(vm, codec, object, bytes, errors);
  bool ok = false;
  switch (codec) {
    case Codec::kUtf8Sig:
      if (bytes.starts_with("\xEF\xBB\xBF")) decoder.at = 3;
      [[fallthrough]];
    case Codec::kUtf8:
      ok = decoder.Utf8();
      break;
    case Codec::kAscii:
    case Codec::kLatin1:
    case Codec::kCp1252:
      ok = decoder.Narrow(codec);
      break;
    case Codec::kUnicodeEscape:
    case Codec::kRawUnicodeEscape:
      ok = decoder.Escapes(codec == Codec::kRawUnicodeEscape);
      break;
    default: {
      const bool big = BigEndian(&decoder, codec);
      if (codec == Codec::kUtf16) decoder.name = big ? "utf-16-be" : "utf-16-le";
      if (codec == Codec::kUtf32) decoder.name = big ? "utf-32-be" : "utf-32-le";
      ok = decoder.Wide(codec <= Codec::kUtf16Be ? 2 : 4, big);
    }
  }
  return ok ? decoder.out.ToString() : Value();
}

}  // namespace ferry::vm
