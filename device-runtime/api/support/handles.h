// Handles that apps hold. They are numbers, not addresses: a handle that was closed, is of another
// type or never was one is found out without a look at its memory. Source: own.
//
// Each type of ferry.h that apps hold has a line of FERRY_HANDLE below; Open gives it out, Find
// answers each call, Close takes it back. Any thread. An object lives until the last call on it has
// ended, also when another thread closes it meanwhile.
//
// What was opened before a fork is refused in the child, which has none of the threads that it
// works with.
#pragma once

#include <cstdint>
#include <memory>

#include "common/base/status.h"
#include "device-runtime/api/support/c_support.h"

namespace ferry::api {

inline constexpr size_t kMaxHandles = size_t{1} << 20;  // open at one time

// 0 is of no type.
struct HandleKind {
  uint8_t number;
  const char* name;  // "ferry_engine"
};
template <typename T>
inline constexpr HandleKind kHandleKind = {0, ""};

// The numbers are in one place, so that none comes twice.
#define FERRY_HANDLE(type, number) \
  template <>                      \
  inline constexpr HandleKind kHandleKind<type> = {number, #type};

FERRY_HANDLE(ferry_runtime, 1)
FERRY_HANDLE(ferry_model, 2)
FERRY_HANDLE(ferry_adapter, 3)
FERRY_HANDLE(ferry_session, 4)
FERRY_HANDLE(ferry_engine, 5)
FERRY_HANDLE(ferry_engine_session, 6)
FERRY_HANDLE(ferry_stream, 7)
FERRY_HANDLE(ferry_sequence, 8)
#undef FERRY_HANDLE

// For any type; 0 when there are kMaxHandles.
uintptr_t AddHandle(HandleKind kind, std::shared_ptr<void> object);
// kInvalidArgument: NULL, closed, of another type or foreign; kFailedPrecondition: opened before a
// fork. `argument` is the parameter's name.
Status FindHandle(HandleKind kind, const void* handle, const char* argument,
                  std::shared_ptr<void>* object);
// As FindHandle, and nobody finds it any more.
Status TakeHandle(HandleKind kind, const void* handle, const char* argument,
                  std::shared_ptr<void>* object);
// From now on only threads inside a callback of the app find it (CallbackScope). Returns when no
// call of another thread has it any more. Not from a callback, which it would wait for.
Status StartClosingHandle(HandleKind kind, const void* handle, const char* argument,
                          std::shared_ptr<void>* object);

// While one lives, this thread runs a callback of the app, which may use what is being closed.
class CallbackScope {
 public:
  CallbackScope();
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;
};

template <typename T>
Status Open(std::shared_ptr<T> object, T** out) {
  const uintptr_t handle = AddHandle(kHandleKind<T>, std::move(object));
  if (handle == 0)
    return Status::Of(Code::kLimitExceeded, "{} handles are open, the limit", kMaxHandles);
  *out = reinterpret_cast<T*>(handle);  // NOLINT: a number that only FindHandle reads
  return OkStatus();
}

template <typename T>
Status Find(const T* handle, const char* argument, std::shared_ptr<T>* object) {
  std::shared_ptr<void> found;
  FERRY_TRY(FindHandle(kHandleKind<T>, handle, argument, &found));
  *object = std::static_pointer_cast<T>(std::move(found));
  return OkStatus();
}

// NULL is ok, and anything else that is no handle does nothing.
template <typename T>
std::shared_ptr<T> Close(const T* handle) {
  std::shared_ptr<void> found;
  if (handle == nullptr || !TakeHandle(kHandleKind<T>, handle, "", &found).ok()) return nullptr;
  return std::static_pointer_cast<T>(std::move(found));
}

// As StartClosingHandle; null for what is no handle, and inside a callback, which is logged.
template <typename T>
std::shared_ptr<T> StartClosing(const T* handle) {
  std::shared_ptr<void> found;
  if (handle == nullptr || !StartClosingHandle(kHandleKind<T>, handle, "", &found).ok())
    return nullptr;
  return std::static_pointer_cast<T>(std::move(found));
}

// In a function of ferry.h: `object` is what `handle` stands for, or the function returns why not.
#define FERRY_FIND(type, object, handle)                                                   \
  std::shared_ptr<type> object;                                                            \
  if (const ferry::Status found_##object = ferry::api::Find((handle), #handle, &(object)); \
      !found_##object.ok())                                                                \
  return ferry::api::Return(found_##object)

}  // namespace ferry::api
