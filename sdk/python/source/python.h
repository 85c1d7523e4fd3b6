// What the files of the extension share: references, errors, the interpreter's lock.
//
// The extension uses Python's limited API of 3.11 alone, so that one binary serves 3.11 and later.
// Everything here runs with the lock held unless it says otherwise.
#pragma once

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

#include "device-runtime/api/ferry.h"

namespace ferry::python {

// Owns a reference; may be empty.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* taken) : object_(taken) {}
  static Ref Of(PyObject* borrowed) {
    Py_XINCREF(borrowed);
    return Ref(borrowed);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* old = std::exchange(object_, std::exchange(other.object_, nullptr));
    Py_XDECREF(old);
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Other threads of Python run while one lives.
class WithoutLock {
 public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  ~WithoutLock() { PyEval_RestoreThread(state_); }
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  PyThreadState* state_;
};

// Takes the lock on a thread of the library, which calls back.
class InCallback {
 public:
  InCallback();
  ~InCallback();
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
  // Whether this thread is in one: it must not close what would wait for it.
  static bool Is();

 private:
  PyGILState_STATE state_;
};

// What a callback raised goes to sys.unraisablehook: nobody of the app waits for it there.
void CallBack(PyObject* callable, PyObject* arguments);

// Raises ferry.Error with this code and text; always null.
PyObject* RaiseError(int code, const char* text);
// The same with printf's forms of PyUnicode_FromFormat.
PyObject* RaiseFormat(int code, const char* format, ...);
// The same with this thread's ferry_error_text.
PyObject* RaiseLast(int code);

// TypeError: what is said in printf's form, with ", not " and the type of `value`; always null.
PyObject* RaiseType(PyObject* value, const char* format, ...);

// None after success, else as RaiseLast.
PyObject* NoneOr(int code);
// The text that the library gave, to be freed, as a str; or as RaiseLast.
PyObject* TextOr(int code, char* text);

bool InitErrors();

}  // namespace ferry::python
