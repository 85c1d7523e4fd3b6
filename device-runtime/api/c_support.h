// What the files behind ferry.h share: handles, error texts, option structs of other versions.
// Internal to the room.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include "common/base/status.h"
#include "device-runtime/api/ferry.h"
#include "device-runtime/api/runtime.h"

struct ferry_runtime {
  std::unique_ptr<ferry::api::RuntimeCore> runtime;
};

namespace ferry::api {

// This thread's ferry_error_text.
std::string& LastError();
// The code of `status`, its text kept for ferry_error_text.
int Return(const Status& status);
int Missing(const char* what);
// A copy for the app to free; null without memory.
char* Copy(const std::string& text);
// "" for null.
std::string TextOf(const char* text);

// Reads a member of a struct whose caller may be of another version: absent past its size.
#define FERRY_MEMBER(options, member, fallback)                                         \
  ((options)->size >= offsetof(std::remove_reference_t<decltype(*(options))>, member) + \
                          sizeof((options)->member)                                     \
       ? (options)->member                                                              \
       : (fallback))

}  // namespace ferry::api
