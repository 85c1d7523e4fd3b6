#include "device-runtime/ops/text/full_match.h"

#include <algorithm>

#if FERRY_OPS_TEXT
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "common/sys/shared_library.h"
#include "device-runtime/ops/library_names.gen.inc"
#endif

namespace ferry::ops {

#if FERRY_OPS_TEXT

namespace {

constexpr uint32_t kMaxSteps = 1'000'000;  // of one text, and more as it is longer
constexpr size_t kStepsPerByte = 64;
constexpr uint32_t kMaxHeapKib = 64 << 10;
constexpr uint32_t kMaxNesting = 128;  // of brackets

#define FERRY_PCRE2_FUNCTIONS(F)  \
  F(pcre2_code_free)              \
  F(pcre2_compile)                \
  F(pcre2_compile_context_create) \
  F(pcre2_compile_context_free)   \
  F(pcre2_get_error_message)      \
  F(pcre2_match)                  \
  F(pcre2_match_context_create)   \
  F(pcre2_match_context_free)     \
  F(pcre2_match_data_create)      \
  F(pcre2_match_data_free)        \
  F(pcre2_set_heap_limit)         \
  F(pcre2_set_match_limit)        \
  F(pcre2_set_newline)            \
  F(pcre2_set_parens_nest_limit)
FERRY_LIBRARY_TABLE(Pcre2Functions, FERRY_PCRE2_FUNCTIONS)

const Result<Pcre2Functions>& LoadPcre2() {
  static const auto loaded = sys::LoadTable<Pcre2Functions>({kPcre2Library}, "libpcre2-8-0");
  return loaded;
}

}  // namespace

Result<std::unique_ptr<FullMatch>> FullMatch::Compile(std::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) {
    return Status::Of(Code::kLimitExceeded, "a pattern of {} bytes", pattern.size());
  }
  FERRY_TRY(LoadPcre2().status().Context("patterns"));
  const Pcre2Functions& lib = *LoadPcre2();
  std::unique_ptr<FullMatch> made(new FullMatch);
  pcre2_compile_context* context = lib.pcre2_compile_context_create(nullptr);
  if (context == nullptr) return Status(Code::kOutOfMemory, "compiling a pattern");
  lib.pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  lib.pcre2_set_parens_nest_limit(context, kMaxNesting);
  int error = 0;
  PCRE2_SIZE offset = 0;
  // As RE2: classes such as \d are ASCII, $ is the very end.
  made->code_ = lib.pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                  PCRE2_UTF | PCRE2_ANCHORED | PCRE2_ENDANCHORED |
                                      PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C,
                                  &error, &offset, context);
  lib.pcre2_compile_context_free(context);
  if (made->code_ != nullptr) return made;
  PCRE2_UCHAR message[160] = "";
  lib.pcre2_get_error_message(error, message, sizeof(message));
  return Status::Of(Code::kBadModel, "pattern '{}': {} at {}", pattern,
                    reinterpret_cast<const char*>(message), offset);
}

FullMatch::~FullMatch() {
  if (code_ != nullptr) LoadPcre2()->pcre2_code_free(static_cast<pcre2_code*>(code_));
}

Result<bool> FullMatch::Fits(std::string_view text) const {
  const Pcre2Functions& lib = *LoadPcre2();  // which Compile has found
  pcre2_match_data* data = lib.pcre2_match_data_create(1, nullptr);
  pcre2_match_context* context = lib.pcre2_match_context_create(nullptr);
  int found = PCRE2_ERROR_NOMEMORY;
  if (data != nullptr && context != nullptr) {
    const size_t more = std::min<size_t>(text.size(), 1 << 24) * kStepsPerByte;
    lib.pcre2_set_match_limit(context, kMaxSteps + static_cast<uint32_t>(more));
    lib.pcre2_set_heap_limit(context, kMaxHeapKib);
    const char* subject = text.data() == nullptr ? "" : text.data();
    found = lib.pcre2_match(static_cast<pcre2_code*>(code_), reinterpret_cast<PCRE2_SPTR>(subject),
                            text.size(), 0, 0, data, context);
  }
  lib.pcre2_match_data_free(data);
  lib.pcre2_match_context_free(context);
  if (found >= 0) return true;
  if (found == PCRE2_ERROR_NOMATCH) return false;
  if (found == PCRE2_ERROR_NOMEMORY) return Status(Code::kOutOfMemory, "matching a pattern");
  if (found <= PCRE2_ERROR_UTF8_ERR1 && found >= PCRE2_ERROR_UTF8_ERR21) {
    return Status(Code::kMalformed, "a text is no UTF-8");
  }
  return Status(Code::kLimitExceeded, "matching a text takes too many steps");
}

#else

Result<std::unique_ptr<FullMatch>> FullMatch::Compile(std::string_view) {
  return Status(Code::kUnsupported, "patterns need a build with FERRY_OPS_TEXT");
}
FullMatch::~FullMatch() = default;
Result<bool> FullMatch::Fits(std::string_view) const {
  return Status(Code::kUnsupported, "patterns need a build with FERRY_OPS_TEXT");
}

#endif

}  // namespace ferry::ops
