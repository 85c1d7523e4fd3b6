#include "device-runtime/ops/text/letter_case.h"

#if FERRY_OPS_TEXT
#include <utf8proc.h>

#include "common/sys/shared_library.h"
#include "device-runtime/ops/library_names.gen.inc"
#endif

namespace ferry::ops {
namespace {

char ChangeAscii(char letter, LetterCase to) {
  if (to == LetterCase::kLower && letter >= 'A' && letter <= 'Z')
    return static_cast<char>(letter + 32);
  if (to == LetterCase::kUpper && letter >= 'a' && letter <= 'z')
    return static_cast<char>(letter - 32);
  return letter;
}

#if FERRY_OPS_TEXT

#define FERRY_UTF8PROC_FUNCTIONS(F) \
  F(utf8proc_encode_char)           \
  F(utf8proc_iterate)               \
  F(utf8proc_tolower)               \
  F(utf8proc_toupper)
FERRY_LIBRARY_TABLE(Utf8ProcFunctions, FERRY_UTF8PROC_FUNCTIONS)

const Result<Utf8ProcFunctions>& LoadUtf8Proc() {
  static const auto loaded = sys::LoadTable<Utf8ProcFunctions>({kUtf8ProcLibrary}, "libutf8proc2");
  return loaded;
}

#endif

}  // namespace

Result<std::string> ChangeCase(std::string_view text, LetterCase to) {
  std::string changed;
  changed.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if ((text[at] & 0x80) == 0) {
      changed += ChangeAscii(text[at], to);
      ++at;
      continue;
    }
#if FERRY_OPS_TEXT
    FERRY_TRY(LoadUtf8Proc().status().Context("the case of letters beyond ASCII"));
    const Utf8ProcFunctions& lib = *LoadUtf8Proc();
    utf8proc_int32_t letter = -1;
    const utf8proc_ssize_t read =
        lib.utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                             static_cast<utf8proc_ssize_t>(text.size() - at), &letter);
    if (read > 0 && letter >= 0) {
      letter =
          to == LetterCase::kLower ? lib.utf8proc_tolower(letter) : lib.utf8proc_toupper(letter);
      utf8proc_uint8_t bytes[4];
      const utf8proc_ssize_t size = lib.utf8proc_encode_char(letter, bytes);
      changed.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
      at += static_cast<size_t>(read);
      continue;
    }
#endif
    changed += text[at];
    ++at;
  }
  return changed;
}

}  // namespace ferry::ops
