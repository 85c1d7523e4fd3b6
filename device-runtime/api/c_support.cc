#include "device-runtime/api/c_support.h"

#include <cstdlib>
#include <cstring>

namespace ferry::api {

std::string& LastError() {
  thread_local std::string text;
  return text;
}

int Return(const Status& status) {
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

std::string TextOf(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

}  // namespace ferry::api
