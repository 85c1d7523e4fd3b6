// What the library opened, closed when Python has no more use for it.
//
// Functions of the extension take these objects; one that was closed goes to the library as it was,
// which says so. Closing waits for callbacks where the library does, with the lock free for them.
#pragma once

#include "sdk/python/source/python.h"

namespace ferry::python {

enum class HandleKind { kEngine, kSession, kRuntime, kModel, kAdapter, kChat, kSequence, kStream };

struct HandleObject {
  PyObject_HEAD HandleKind kind;
  bool closed;
  void* handle;
  PyObject* callbacks;  // what the library calls as long as it is open; null
};

extern PyTypeObject* handle_type;
bool InitHandles(PyObject* module);

// Takes `handle` and `callbacks`; closes it where that fails.
PyObject* NewHandle(HandleKind kind, void* handle, PyObject* callbacks = nullptr);
// Whether a run calls back when it is done, other than by `callbacks`: it is waited for at the end
// of the interpreter.
void SetCalling(PyObject* handle, bool calling);
// Null with an exception when `object` is no handle of that kind.
void* HandleOf(PyObject* object, HandleKind kind);
// As the library declares it.
template <typename T>
inline constexpr HandleKind kKindOf = HandleKind::kEngine;
template <>
inline constexpr HandleKind kKindOf<ferry_engine_session> = HandleKind::kSession;
template <>
inline constexpr HandleKind kKindOf<ferry_runtime> = HandleKind::kRuntime;
template <>
inline constexpr HandleKind kKindOf<ferry_model> = HandleKind::kModel;
template <>
inline constexpr HandleKind kKindOf<ferry_adapter> = HandleKind::kAdapter;
template <>
inline constexpr HandleKind kKindOf<ferry_session> = HandleKind::kChat;
template <>
inline constexpr HandleKind kKindOf<ferry_sequence> = HandleKind::kSequence;
template <>
inline constexpr HandleKind kKindOf<ferry_stream> = HandleKind::kStream;
template <typename T>
T* Get(PyObject* object) {
  return static_cast<T*>(HandleOf(object, kKindOf<T>));
}

// The JSON text that `function` gives for a handle.
template <auto Function, typename T>
PyObject* JsonOf(PyObject*, PyObject* object) {
  T* handle = Get<T>(object);
  if (handle == nullptr) return nullptr;
  char* json = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = Function(handle, &json);
  }
  return TextOr(code, json);
}

}  // namespace ferry::python
