#include "sdk/python/source/handle.h"

#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace ferry::python {

PyTypeObject* handle_type = nullptr;

namespace {

constexpr const char* kNames[] = {"engine",  "session", "runtime",  "language model",
                                  "adapter", "chat",    "sequence", "stream"};

HandleObject* Self(PyObject* self) {
  return reinterpret_cast<HandleObject*>(self);
}

// Those whose threads may call back: they are closed before the interpreter ends.
std::set<HandleObject*>& Calling() {
  static auto& calling = *new std::set<HandleObject*>();
  return calling;
}

// Callbacks of what was closed by a thread without the lock; dropped by the next who has it.
struct Dropped {
  std::mutex mutex;
  std::vector<PyObject*> callbacks;
};
Dropped& TheDropped() {
  static auto& dropped = *new Dropped();
  return dropped;
}
void DropOld() {
  std::vector<PyObject*> old;
  {
    const std::lock_guard lock(TheDropped().mutex);
    old.swap(TheDropped().callbacks);
  }
  for (PyObject* one : old) Py_DECREF(one);
}

void CloseOf(HandleKind kind, void* handle) {
  switch (kind) {
    case HandleKind::kEngine:
      return ferry_engine_close(static_cast<ferry_engine*>(handle));
    case HandleKind::kSession:
      return ferry_engine_session_destroy(static_cast<ferry_engine_session*>(handle));
    case HandleKind::kRuntime:
      return ferry_runtime_destroy(static_cast<ferry_runtime*>(handle));
    case HandleKind::kModel:
      return ferry_model_close(static_cast<ferry_model*>(handle));
    case HandleKind::kAdapter:
      return ferry_adapter_close(static_cast<ferry_adapter*>(handle));
    case HandleKind::kChat:
      return ferry_session_destroy(static_cast<ferry_session*>(handle));
    case HandleKind::kSequence:
      return ferry_sequence_destroy(static_cast<ferry_sequence*>(handle));
    case HandleKind::kStream:
      return ferry_stream_close(static_cast<ferry_stream*>(handle));
  }
}

void Close(HandleObject* self) {
  if (std::exchange(self->closed, true)) return;
  Calling().erase(self);
  PyObject* callbacks = std::exchange(self->callbacks, nullptr);
  const HandleKind kind = self->kind;
  void* handle = self->handle;
  if (callbacks != nullptr && InCallback::Is()) {
    // It waits for callbacks, of which this is one (perhaps amid a collection of garbage).
    std::thread([kind, handle, callbacks] {
      CloseOf(kind, handle);
      const std::lock_guard lock(TheDropped().mutex);
      TheDropped().callbacks.push_back(callbacks);
    }).detach();
    return;
  }
  {
    const WithoutLock free;
    CloseOf(kind, handle);
  }
  Py_XDECREF(callbacks);
}

void Dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject *kind = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&kind, &value, &traceback);
  Close(Self(object));
  PyErr_Restore(kind, value, traceback);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyObject* CloseMethod(PyObject* self, PyObject*) {
  Close(Self(self));
  DropOld();
  Py_RETURN_NONE;
}

PyObject* GetClosed(PyObject* self, void*) {
  return PyBool_FromLong(Self(self)->closed ? 1 : 0);
}

PyObject* CloseAll(PyObject*, PyObject*) {
  while (!Calling().empty()) Close(*Calling().begin());
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {{"close", CloseMethod, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {{"closed", GetClosed, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {0, nullptr}};
PyType_Spec spec = {
    "ferry._ferry.Handle", sizeof(HandleObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};

PyMethodDef close_all = {"close_all", CloseAll, METH_NOARGS, nullptr};

}  // namespace

PyObject* NewHandle(HandleKind kind, void* handle, PyObject* callbacks) {
  DropOld();
  const auto make = reinterpret_cast<allocfunc>(PyType_GetSlot(handle_type, Py_tp_alloc));
  auto* out = reinterpret_cast<HandleObject*>(make(handle_type, 0));
  if (out == nullptr) {
    CloseOf(kind, handle);
    Py_XDECREF(callbacks);
    return nullptr;
  }
  out->kind = kind;
  out->handle = handle;
  out->callbacks = callbacks;
  if (callbacks != nullptr) Calling().insert(out);
  return reinterpret_cast<PyObject*>(out);
}

void SetCalling(PyObject* handle, bool calling) {
  if (calling)
    Calling().insert(Self(handle));
  else
    Calling().erase(Self(handle));
}

void* HandleOf(PyObject* object, HandleKind kind) {
  const char* wanted = kNames[static_cast<int>(kind)];
  if (PyObject_TypeCheck(object, handle_type) == 0) {
    RaiseType(object, "a handle of a %s is expected", wanted);
    return nullptr;
  }
  HandleObject* self = Self(object);
  if (self->kind != kind) {
    PyErr_Format(PyExc_TypeError, "a handle of a %s is expected, not of a %s", wanted,
                 kNames[static_cast<int>(self->kind)]);
    return nullptr;
  }
  return self->handle;
}

bool InitHandles(PyObject* module) {
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) return false;
  handle_type = reinterpret_cast<PyTypeObject*>(type);
  const Ref at_exit(PyImport_ImportModule("atexit"));
  const Ref closer(PyCFunction_New(&close_all, nullptr));
  if (!at_exit || !closer) return false;
  const Ref done(PyObject_CallMethod(at_exit.get(), "register", "O", closer.get()));
  return done && PyModule_AddObjectRef(module, "Handle", type) == 0;
}

}  // namespace ferry::python
