// What the files behind ferry.h share: error texts, option structs of other versions, callbacks of
// the app. Internal to the SDK's rooms.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <type_traits>

#include "common/base/status.h"
#include "device-runtime/api/ferry.h"

namespace ferry::api {

// This thread's ferry_error_text.
std::string& LastError();
// The code of `status`, its text kept for ferry_error_text.
int Return(const Status& status);
int Missing(const char* what);
// A copy for the app to free; null without memory.
char* Copy(const std::string& text);
// Copies `text` to `*out` for the app to free; kOutOfMemory.
int GiveText(const std::string& text, char** out);
// "" for null.
std::string TextOf(const char* text);

// Reads a member of a struct whose caller may be of another version: absent past its size.
#define FERRY_MEMBER(options, member, fallback)                                         \
  ((options)->size >= offsetof(std::remove_reference_t<decltype(*(options))>, member) + \
                          sizeof((options)->member)                                     \
       ? (options)->member                                                              \
       : (fallback))

inline constexpr size_t kMaxOptionsBytes = 4096;  // no version of a struct is larger

// Refuses a struct whose size was not set, and one of a newer header that sets members which this
// library does not know. `name` is the type's.
Status CheckOptionsSize(const void* options, size_t given, size_t known, const char* name);
template <typename T>
Status CheckOptions(const T* options, const char* name) {
  return options == nullptr ? OkStatus()
                            : CheckOptionsSize(options, options->size, sizeof(T), name);
}

// The same of structs that took a size of 0 for one without members when they were first released.
template <typename T>
Status CheckOldOptions(const T* options, const char* name) {
  return options != nullptr && options->size == 0 ? OkStatus() : CheckOptions(options, name);
}

// Runs a callback of the app. What it throws ends here, with a line in the log, for no frame of C
// could let it through.
void NoteThrown(const char* callback, const char* what);
template <typename F>
void CallApp(const char* callback, F&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    NoteThrown(callback, error.what());
  } catch (...) {
    NoteThrown(callback, "something that is no std::exception");
  }
}

}  // namespace ferry::api
