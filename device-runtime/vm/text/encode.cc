#include <bit>

#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/codec.h"
#include "device-runtime/vm/text/codec_kind.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr bool IsSurrogate(uint32_t c) {
  return c >= 0xD800 && c < 0xE000;
}

struct Encoder {
  Vm& vm;
  Codec codec;
  Value object;
  std::string_view errors;
  TextBuilder out;

  Encoder(Vm& vm_in, Codec codec_in, Value object_in, std::string_view errors_in)
      : vm(vm_in), codec(codec_in), object(object_in), errors(errors_in), out(vm_in) {}

  bool Unit(uint32_t unit, int bytes, bool big) {
    char text[4];
    for (int i = 0; i < bytes; ++i)
      text[i] = static_cast<char>(unit >> 8 * (big ? bytes - 1 - i : i));
    return out.Append(std::string_view(text, static_cast<size_t>(bytes)));
  }
  bool Utf16(uint32_t c, bool big) {
    if (c < 0x10000) return Unit(c, 2, big);
    return Unit(0xD800 + ((c - 0x10000) >> 10), 2, big) &&
           Unit(0xDC00 + ((c - 0x10000) & 0x3FF), 2, big);
  }
  // False with *can false: the encoding has no such character.
  bool Put(uint32_t c, bool* can);
  bool Escape(uint32_t c);
  bool Handle(size_t start, size_t end, std::string_view part);
  const char* Reason() const;
  Value Run();
};

bool Encoder::Escape(uint32_t c) {
  const char* form = c < 0x100 ? "\\x{:02x}" : c < 0x10000 ? "\\u{:04x}" : "\\U{:08x}";
  return out.Append(fmt::format(fmt::runtime(form), c));
}

bool Encoder::Put(uint32_t c, bool* can) {
  *can = true;
  switch (codec) {
    case Codec::kUtf8:
    case Codec::kUtf8Sig:
      if (!IsSurrogate(c)) return out.AppendCode(c);
      break;
    case Codec::kAscii:
      if (c < 0x80) return out.Append(static_cast<char>(c));
      break;
    case Codec::kLatin1:
      if (c < 0x100) return out.Append(static_cast<char>(c));
      break;
    case Codec::kCp1252:
      if (c < 0x80 || (c >= 0xA0 && c < 0x100)) return out.Append(static_cast<char>(c));
      for (int i = 0; i < 32; ++i)
        if (kCp1252[i] == c && c != 0) return out.Append(static_cast<char>(0x80 + i));
      break;
    case Codec::kUtf16:
    case Codec::kUtf16Le:
    case Codec::kUtf16Be:
      if (!IsSurrogate(c)) return Utf16(c, codec == Codec::kUtf16Be);
      break;
    case Codec::kUtf32:
    case Codec::kUtf32Le:
    case Codec::kUtf32Be:
      if (!IsSurrogate(c)) return Unit(c, 4, codec == Codec::kUtf32Be);
      break;
    case Codec::kUnicodeEscape:
      if (c == '\\') return out.Append("\\\\");
      if (c == '\n' || c == '\r' || c == '\t')
        return out.Append(c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
      return c >= 0x20 && c < 0x7F ? out.Append(static_cast<char>(c)) : Escape(c);
    case Codec::kRawUnicodeEscape:
      return c < 0x100 ? out.Append(static_cast<char>(c)) : Escape(c);
  }
  *can = false;
  return false;
}

const char* Encoder::Reason() const {
  return codec == Codec::kAscii    ? "ordinal not in range(128)"
         : codec == Codec::kLatin1 ? "ordinal not in range(256)"
         : codec == Codec::kCp1252 ? "character maps to <undefined>"
                                   : "surrogates not allowed";
}

// The characters [start, end), `part` in UTF-8, cannot be encoded.
bool Encoder::Handle(size_t start, size_t end, std::string_view part) {
  const Handler handler = FindHandler(errors);
  if (handler == Handler::kUnknown) {
    RaiseHandler(vm, errors);
    return false;
  }
  const auto raise = [&] {
    RaiseEncodeError(vm, CodecName(codec), object, start, end, Reason());
    return false;
  };
  const bool wide = codec >= Codec::kUtf16 && codec <= Codec::kUtf32Be;
  bool can;
  const auto text = [&](std::string_view ascii) {
    for (char c : ascii)
      if (!Put(static_cast<unsigned char>(c), &can)) return false;
    return true;
  };
  if (handler == Handler::kStrict) return raise();
  for (size_t at = 0; at < part.size();) {
    const uint32_t c = Utf8Next(part, &at);
    bool ok = true;
    switch (handler) {
      case Handler::kReplace:
        ok = text("?");
        break;
      case Handler::kBackslash:
        ok = text(fmt::format(fmt::runtime(c < 0x100     ? "\\x{:02x}"
                                           : c < 0x10000 ? "\\u{:04x}"
                                                         : "\\U{:08x}"),
                              c));
        break;
      case Handler::kXml:
        ok = text(fmt::format("&#{};", c));
        break;
      case Handler::kSurrogateEscape:
        if (c < 0xDC80 || c > 0xDCFF || wide) return raise();
        ok = out.Append(static_cast<char>(c - 0xDC00));
        break;
      case Handler::kSurrogatePass:
        if (!IsSurrogate(c) || codec == Codec::kAscii || codec == Codec::kLatin1 ||
            codec == Codec::kCp1252)
          return raise();
        ok = !wide                      ? out.AppendCode(c)
             : codec <= Codec::kUtf16Be ? Unit(c, 2, codec == Codec::kUtf16Be)
                                        : Unit(c, 4, codec == Codec::kUtf32Be);
        break;
      default:  // ignored
        break;
    }
    if (!ok) return false;
  }
  return true;
}

Value Encoder::Run() {
  const std::string_view s = Text(object);
  if (codec == Codec::kUtf8Sig && !out.Append("\xEF\xBB\xBF")) return Value();
  if (codec == Codec::kUtf16 && !Unit(0xFEFF, 2, false)) return Value();
  if (codec == Codec::kUtf32 && !Unit(0xFEFF, 4, false)) return Value();
  size_t index = 0;
  for (size_t at = 0; at < s.size(); ++index) {
    const size_t start = at, first = index;
    bool can;
    if (Put(Utf8Next(s, &at), &can)) continue;
    if (can) return Value();
    // Those that follow and cannot either are one error; in wide encodings each is its own.
    const bool wide = codec >= Codec::kUtf16 && codec <= Codec::kUtf32Be;
    const size_t before = out.size();
    size_t end = at;
    while (end < s.size() && !wide) {
      size_t next = end;
      if (Put(Utf8Next(s, &next), &can) || can) break;
      end = next;
      ++index;
    }
    if (vm.failed()) return Value();
    out.Shrink(before);
    if (!Handle(first, index + 1, s.substr(start, end - start))) return Value();
    at = end;
  }
  return vm.NewBytes(out.view());
}

bool HasSurrogates(std::string_view s) {
  for (size_t at = s.find('\xED'); at != std::string_view::npos; at = s.find('\xED', at + 1))
    if (static_cast<unsigned char>(s[at + 1]) >= 0xA0) return true;
  return false;
}

}  // namespace

Value EncodeText(Vm& vm, Value text, std::string_view encoding, std::string_view errors) {
  Codec codec = Codec::kUtf8;
  if (!encoding.empty() && !FindCodec(vm, encoding, &codec)) return Value();
  const auto* s = As<String>(text);
  if (!vm.ChargeSteps(s->size / 64)) return Value();
  const bool same = codec == Codec::kUtf8 || codec == Codec::kAscii || codec == Codec::kLatin1;
  if (same && s->ascii()) return vm.NewBytes(s->view());
  if (codec == Codec::kUtf8 && !HasSurrogates(s->view())) return vm.NewBytes(s->view());
  if (!vm.ChargeSteps(s->size / 16)) return Value();
  return Encoder(vm, codec, text, errors).Run();
}

}  // namespace ferry::vm
