#include "device-runtime/api/support/c_support.h"

#include <cstdlib>
#include <cstring>

#include "common/base/log.h"

namespace ferry::api {

std::string& LastError() {
  thread_local std::string text;
  return text;
}

int Return(const Status& status) {
  if (status.ok())
    LastError().clear();
  else
    LastError() = status.message();
  return static_cast<int>(status.code());
}

int Missing(const char* what) {
  return Return(Status::Of(Code::kInvalidArgument, "{} is NULL", what));
}

char* Copy(const std::string& text) {
  auto* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out != nullptr) std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

int GiveText(const std::string& text, char** out) {
  *out = Copy(text);
  return Return(*out != nullptr ? OkStatus() : Status(Code::kOutOfMemory, "a text for the app"));
}

std::string TextOf(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

Status CheckOptionsSize(const void* options, size_t given, size_t known, const char* name) {
  if (given < sizeof(size_t) || given > kMaxOptionsBytes) {
    return Status::Of(Code::kInvalidArgument, "{}.size is {}: set it to sizeof({})", name, given,
                      name);
  }
  const auto* bytes = static_cast<const unsigned char*>(options);
  for (size_t i = known; i < given; ++i) {
    if (bytes[i] == 0) continue;
    return Status::Of(Code::kUnsupported,
                      "{} of a newer ferry.h sets a member that this library ({}) does not know",
                      name, ferry_version());
  }
  return OkStatus();
}

void NoteThrown(const char* callback, const char* what) {
  LogError("api", "{} threw: {}", callback, what);
}

}  // namespace ferry::api
