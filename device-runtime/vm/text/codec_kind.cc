#include "device-runtime/vm/text/codec_kind.h"

#include <string>

#include "device-runtime/vm/text/codec.h"

namespace ferry::vm {

const uint16_t kCp1252[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                              0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                              0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                              0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

bool FindCodec(Vm& vm, std::string_view name, Codec* codec) {
  struct Row {
    const char* name;
    Codec codec;
  };
  static constexpr Row kRows[] = {{"utf_8", Codec::kUtf8},
                                  {"utf8", Codec::kUtf8},
                                  {"u8", Codec::kUtf8},
                                  {"cp65001", Codec::kUtf8},
                                  {"utf_8_sig", Codec::kUtf8Sig},
                                  {"ascii", Codec::kAscii},
                                  {"us_ascii", Codec::kAscii},
                                  {"646", Codec::kAscii},
                                  {"latin_1", Codec::kLatin1},
                                  {"latin1", Codec::kLatin1},
                                  {"latin", Codec::kLatin1},
                                  {"l1", Codec::kLatin1},
                                  {"iso_8859_1", Codec::kLatin1},
                                  {"iso8859_1", Codec::kLatin1},
                                  {"8859", Codec::kLatin1},
                                  {"cp819", Codec::kLatin1},
                                  {"cp1252", Codec::kCp1252},
                                  {"windows_1252", Codec::kCp1252},
                                  {"utf_16", Codec::kUtf16},
                                  {"utf16", Codec::kUtf16},
                                  {"u16", Codec::kUtf16},
                                  {"utf_16_le", Codec::kUtf16Le},
                                  {"utf_16le", Codec::kUtf16Le},
                                  {"utf_16_be", Codec::kUtf16Be},
                                  {"utf_16be", Codec::kUtf16Be},
                                  {"utf_32", Codec::kUtf32},
                                  {"utf32", Codec::kUtf32},
                                  {"u32", Codec::kUtf32},
                                  {"utf_32_le", Codec::kUtf32Le},
                                  {"utf_32le", Codec::kUtf32Le},
                                  {"utf_32_be", Codec::kUtf32Be},
                                  {"utf_32be", Codec::kUtf32Be},
                                  {"unicode_escape", Codec::kUnicodeEscape},
                                  {"raw_unicode_escape", Codec::kRawUnicodeEscape}};
  constexpr size_t kLongest = 32;
  std::string plain;
  for (char c : name.substr(0, kLongest)) {
    const bool letter = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
    if (letter) {
      plain.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
    } else if (!plain.empty() && plain.back() != '_') {
      plain.push_back('_');
    }
  }
  for (const Row& row : kRows) {
    if (plain != row.name) continue;
    *codec = row.codec;
    return true;
  }
  vm.Throw(Error::kLookupError, "unknown encoding: {}", name);
  return false;
}

const char* CodecName(Codec codec) {
  static constexpr const char* kNames[] = {
      "utf-8",     "utf-8",         "ascii",           "latin-1", "charmap",
      "utf-16",    "utf-16-le",     "utf-16-be",       "utf-32",  "utf-32-le",
      "utf-32-be", "unicodeescape", "rawunicodeescape"};
  return kNames[static_cast<int>(codec)];
}

Handler FindHandler(std::string_view name) {
  struct Row {
    const char* name;
    Handler handler;
  };
  static constexpr Row kRows[] = {{"strict", Handler::kStrict},
                                  {"", Handler::kStrict},
                                  {"ignore", Handler::kIgnore},
                                  {"replace", Handler::kReplace},
                                  {"backslashreplace", Handler::kBackslash},
                                  {"namereplace", Handler::kBackslash},
                                  {"xmlcharrefreplace", Handler::kXml},
                                  {"surrogateescape", Handler::kSurrogateEscape},
                                  {"surrogatepass", Handler::kSurrogatePass}};
  for (const Row& row : kRows)
    if (name == row.name) return row.handler;
  return Handler::kUnknown;
}

void RaiseHandler(Vm& vm, std::string_view name) {
  vm.Throw(Error::kLookupError, "unknown error handler name '{}'", name);
}

bool CodecArguments(Vm& vm, const Args& args, const char* name, CodecNames* out) {
  static constexpr const char* kNames[] = {"encoding", "errors"};
  Value bound[2];
  const uint32_t given = args.count - 1;
  if (given + args.keywords() > 2) {
    vm.Throw(Error::kTypeError, "{}() takes at most 2 arguments ({} given)", name,
             given + args.keywords());
    return false;
  }
  for (uint32_t i = 0; i < given; ++i) bound[i] = args[i + 1];
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    const std::string_view key = Text(args.names->items[k]);
    const int at = key == kNames[0] ? 0 : key == kNames[1] ? 1 : -1;
    if (at < 0) {
      vm.Throw(Error::kTypeError, "'{}' is an invalid keyword argument for {}()", key, name);
      return false;
    }
    if (!bound[at].empty()) {
      vm.Throw(Error::kTypeError, "argument for {}() given by name ('{}') and position ({})", name,
               key, at + 1);
      return false;
    }
    bound[at] = args.args[args.count + k];
  }
  for (int i = 0; i < 2; ++i) {
    if (bound[i].empty()) continue;
    if (!IsStr(bound[i])) {
      vm.Throw(Error::kTypeError, "{}() argument '{}' must be str, not {}", name, kNames[i],
               bound[i].IsNone() ? "None" : vm.TypeName(bound[i]));
      return false;
    }
    if (Text(bound[i]).find('\0') != std::string_view::npos) {
      vm.Raise(Error::kValueError, "embedded null character");
      return false;
    }
  }
  out->encoding = bound[0].empty() ? std::string_view() : Text(bound[0]);
  out->errors = bound[1].empty() ? std::string_view() : Text(bound[1]);
  return true;
}

}  // namespace ferry::vm
