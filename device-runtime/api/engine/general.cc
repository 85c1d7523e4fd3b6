// What every function of ferry.h stands on: version, error text, names of codes.
#include <cstdlib>

#include "common/base/errors.h"
#include "device-runtime/api/support/c_support.h"

#define FERRY_TEXT_OF(x) #x
#define FERRY_VERSION_TEXT(major, minor, patch) \
  FERRY_TEXT_OF(major) "." FERRY_TEXT_OF(minor) "." FERRY_TEXT_OF(patch)

extern "C" {

const char* ferry_version(void) {
  return FERRY_VERSION_TEXT(FERRY_VERSION_MAJOR, FERRY_VERSION_MINOR, FERRY_VERSION_PATCH);
}

const char* ferry_error_text(void) {
  return ferry::api::LastError().c_str();
}

const char* ferry_code_name(int code) {
  const auto known = ferry::CodeFromNumber(code);
  return ferry::InfoOf(known.value_or(ferry::Code::kInternal)).name.data();
}

void ferry_string_free(char* text) {
  std::free(text);
}

}  // extern "C"
