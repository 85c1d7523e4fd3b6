#include "sdk/python/source/session.h"

#include <algorithm>

namespace ferry::python {
namespace {

PyTypeObject* session_type = nullptr;

SessionState& StateOf(PyObject* self) {
  return *reinterpret_cast<SessionObject*>(self)->state;
}

std::string NamesOf(const std::vector<Io>& ios) {
  std::string names;
  for (const Io& io : ios) names += (names.empty() ? "'" : ", '") + io.name + "'";
  return names;
}

// The session for one call; inputs are let go at its end.
class Hold {
 public:
  explicit Hold(SessionState& state) : state_(state), taken_(!state.busy) {
    if (!taken_) {
      RaiseError(FERRY_kFailedPrecondition,
                 "session runs in another call: one thread at a time, or a session each");
    }
    state_.busy = true;
  }
  ~Hold() { Release(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  explicit operator bool() const { return taken_; }
  // The run goes on without this object.
  void Detach() { taken_ = false; }
  void Release() {
    if (taken_) LetGo(state_);
    taken_ = false;
  }
  static void LetGo(SessionState& state) {
    for (size_t i = 0; i < state.inputs.size(); ++i) state.given[i].Clear();
    DropResults(state);
    state.busy = false;
  }

 private:
  SessionState& state_;
  bool taken_;
};

bool Missing(const Io& io) {
  if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_LookupError) == 0) return false;
  PyErr_Clear();
  RaiseFormat(FERRY_kInvalidArgument, "input '%s' is missing", io.name.c_str());
  return false;
}

bool Unknown(const SessionState& state, PyObject* name) {
  RaiseFormat(FERRY_kInvalidArgument, "the model has no input '%S'; it has %s", name,
              NamesOf(state.inputs).c_str());
  return false;
}

bool IsInput(const SessionState& state, PyObject* name) {
  return std::ranges::any_of(state.inputs, [name](const Io& io) {
    return PyObject_RichCompareBool(name, io.key, Py_EQ) == 1;
  });
}

// Lists can be asked for items, too, but have no keys.
bool IsMapping(PyObject* value) {
  if (PyDict_Check(value) != 0) return true;
  const Ref keys(PyObject_GetAttrString(value, "keys"));
  if (!keys) PyErr_Clear();
  return static_cast<bool>(keys);
}

// {name: value} as the inputs of the next run.
bool ReadMapping(SessionState& state, PyObject* values) {
  if (!IsMapping(values)) {
    RaiseType(values, "inputs are a dict of names to arrays");
    return false;
  }
  for (size_t i = 0; i < state.inputs.size(); ++i) {
    const Ref value(PyObject_GetItem(values, state.inputs[i].key));
    if (!value) return Missing(state.inputs[i]);
    if (!state.given[i].Read(value.get(), state.inputs[i], &state.in[i])) return false;
  }
  const Py_ssize_t count = PyMapping_Size(values);
  if (count == static_cast<Py_ssize_t>(state.inputs.size())) return true;
  const Ref names(count < 0 ? nullptr : PyMapping_Keys(values));
  for (Py_ssize_t i = 0; names && i < PySequence_Size(names.get()); ++i) {
    const Ref name(PySequence_GetItem(names.get(), i));
    if (name && !IsInput(state, name.get())) return Unknown(state, name.get());
  }
  return PyErr_Occurred() == nullptr;
}

// The inputs in the model's order, then by name.
bool ReadArguments(SessionState& state, PyObject* const* values, Py_ssize_t count,
                   PyObject* names) {
  const auto wanted = static_cast<Py_ssize_t>(state.inputs.size());
  if (count > wanted) {
    PyErr_Format(PyExc_TypeError, "%zd inputs are given, the model has %zd: %s", count, wanted,
                 NamesOf(state.inputs).c_str());
    return false;
  }
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_Size(names);
  Py_ssize_t used = 0;
  for (Py_ssize_t i = 0; i < wanted; ++i) {
    const Io& io = state.inputs[static_cast<size_t>(i)];
    PyObject* value = i < count ? values[i] : nullptr;
    for (Py_ssize_t k = 0; k < named; ++k) {
      if (PyObject_RichCompareBool(PyTuple_GetItem(names, k), io.key, Py_EQ) != 1) continue;
      if (value != nullptr) {
        RaiseFormat(FERRY_kInvalidArgument, "input '%s' is given twice", io.name.c_str());
        return false;
      }
      value = values[count + k];
      ++used;
    }
    if (value == nullptr) return Missing(io);
    const auto at = static_cast<size_t>(i);
    if (!state.given[at].Read(value, io, &state.in[at])) return false;
  }
  if (used == named) return true;
  for (Py_ssize_t k = 0; k < named; ++k)
    if (!IsInput(state, PyTuple_GetItem(names, k)))
      return Unknown(state, PyTuple_GetItem(names, k));
  return false;
}

int Run(ferry_engine_session* session, SessionState& state) {
  const WithoutLock free;
  return ferry_engine_run(session, state.in.data(), state.in.size(), state.out.data(),
                          state.out.size());
}

// The inputs are read: runs, and gives the outputs in the model's order.
bool RunHeld(SessionState& state, std::vector<Ref>* results) {
  auto* session = Get<ferry_engine_session>(state.handle);
  if (session == nullptr || !MakeResults(state)) return false;
  int code = Run(session, state);
  const bool placed = std::ranges::any_of(state.results, [](auto* one) { return one != nullptr; });
  if (code == FERRY_kShapeMismatch && placed) {
    // The model gives another shape than it declared: it is known after this run.
    DropResults(state);
    state.is_known = false;
    code = Run(session, state);
  }
  if (code != FERRY_kOk) return RaiseLast(code) != nullptr;
  Remember(state);
  state.written.clear();
  for (const ferry_tensor& one : state.out) state.written.push_back(one.data);
  return TakeResults(state, results);
}

PyObject* AsDict(const SessionState& state, const std::vector<Ref>& results) {
  Ref out(PyDict_New());
  for (size_t i = 0; out && i < results.size(); ++i)
    if (PyDict_SetItem(out.get(), state.outputs[i].key, results[i].get()) != 0) return nullptr;
  return out.release();
}

PyObject* RunMethod(PyObject* self, PyObject* values) {
  SessionState& state = StateOf(self);
  const Hold hold(state);
  std::vector<Ref> results;
  if (!hold || !ReadMapping(state, values) || !RunHeld(state, &results)) return nullptr;
  return AsDict(state, results);
}

PyObject* CallMethod(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
  SessionState& state = StateOf(self);
  const Hold hold(state);
  std::vector<Ref> results;
  if (!hold || !ReadArguments(state, values, count, names) || !RunHeld(state, &results))
    return nullptr;
  if (results.size() == 1) return results[0].release();
  Ref out(PyTuple_New(static_cast<Py_ssize_t>(results.size())));
  for (size_t i = 0; out && i < results.size(); ++i)
    if (PyTuple_SetItem(out.get(), static_cast<Py_ssize_t>(i), results[i].release()) != 0)
      return nullptr;
  return out.release();
}

struct Pending {
  PyObject* session;
  PyObject* done;  // done(results, error): one of them is None
};

void Done(void* user, int code, const char* text) {
  const InCallback callback;
  auto* pending = static_cast<Pending*>(user);
  SessionState& state = StateOf(pending->session);
  Ref results;
  if (code == FERRY_kOk) {
    std::vector<Ref> taken;
    Remember(state);
    if (TakeResults(state, &taken)) results = Ref(AsDict(state, taken));
  } else {
    RaiseError(code, text);
  }
  PyObject *kind = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&kind, &value, &traceback);
  PyErr_NormalizeException(&kind, &value, &traceback);
  SetCalling(state.handle, false);
  Hold::LetGo(state);
  CallBack(pending->done, Py_BuildValue("OO", results ? results.get() : Py_None,
                                        value != nullptr ? value : Py_None));
  Py_XDECREF(kind);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  results = Ref();
  Py_DECREF(pending->done);
  Py_DECREF(pending->session);
  delete pending;
}

PyObject* RunAsync(PyObject* self, PyObject* arguments) {
  PyObject *values = nullptr, *done = nullptr;
  if (PyArg_ParseTuple(arguments, "OO", &values, &done) == 0) return nullptr;
  SessionState& state = StateOf(self);
  Hold hold(state);
  if (!hold || !ReadMapping(state, values) || !MakeResults(state)) return nullptr;
  auto* session = Get<ferry_engine_session>(state.handle);
  auto* pending = new Pending{Ref::Of(self).release(), Ref::Of(done).release()};
  SetCalling(state.handle, true);
  int code = 0;
  hold.Detach();
  {
    const WithoutLock free;
    code = ferry_engine_run_async(session, state.in.data(), state.in.size(), state.out.data(),
                                  state.out.size(), Done, pending);
  }
  if (code == FERRY_kOk) Py_RETURN_NONE;
  RaiseLast(code);
  SetCalling(state.handle, false);
  Hold::LetGo(state);
  Py_DECREF(pending->done);
  Py_DECREF(pending->session);
  delete pending;
  return nullptr;
}

PyObject* Resize(PyObject* self, PyObject* shapes) {
  SessionState& state = StateOf(self);
  const Hold hold(state);
  if (!hold) return nullptr;
  if (!IsMapping(shapes)) {
    RaiseType(shapes, "shapes are a dict of names to extents");
    return nullptr;
  }
  for (size_t i = 0; i < state.inputs.size(); ++i) {
    const Io& io = state.inputs[i];
    const Ref shape(PyObject_GetItem(shapes, io.key));
    if (!shape) {
      Missing(io);
      return nullptr;
    }
    ferry_tensor& in = state.in[i];
    in = {sizeof(in), io.name.c_str(), io.type};
    in.rank = ReadShape(shape.get(), in.shape);
    if (in.rank < 0) return nullptr;
  }
  auto* session = Get<ferry_engine_session>(state.handle);
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_engine_resize(session, state.in.data(), state.in.size());
  }
  return NoneOr(code);
}

PyObject* Cancel(PyObject* self, PyObject*) {
  return NoneOr(ferry_engine_cancel(Get<ferry_engine_session>(StateOf(self).handle)));
}
PyObject* Info(PyObject* self, PyObject*) {
  return JsonOf<ferry_engine_session_info, ferry_engine_session>(nullptr, StateOf(self).handle);
}
PyObject* Profile(PyObject* self, PyObject*) {
  return JsonOf<ferry_engine_profile, ferry_engine_session>(nullptr, StateOf(self).handle);
}

PyObject* Close(PyObject* self, PyObject*) {
  SessionState& state = StateOf(self);
  const Hold hold(state);
  return hold ? PyObject_CallMethod(state.handle, "close", nullptr) : nullptr;
}

// Where the last run read and wrote, for tests: (of the inputs, of the outputs).
PyObject* Addresses(PyObject* self, PyObject*) {
  const SessionState& state = StateOf(self);
  std::vector<void*> read;
  for (const ferry_tensor& one : state.in) read.push_back(one.data);
  const auto list = [](const std::vector<void*>& addresses) {
    PyObject* out = PyList_New(0);
    for (void* one : addresses) {
      const Ref address(PyLong_FromVoidPtr(one));
      if (out != nullptr && address) PyList_Append(out, address.get());
    }
    return out;
  };
  return Py_BuildValue("NN", list(read), list(state.written));
}

void Dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<SessionObject*>(object)->state;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"run", RunMethod, METH_O, nullptr},
    {"call", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(CallMethod)),
     METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"run_async", RunAsync, METH_VARARGS, nullptr},
    {"resize", Resize, METH_O, nullptr},
    {"cancel", Cancel, METH_NOARGS, nullptr},
    {"info", Info, METH_NOARGS, nullptr},
    {"profile", Profile, METH_NOARGS, nullptr},
    {"close", Close, METH_NOARGS, nullptr},
    {"addresses", Addresses, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)}, {Py_tp_methods, methods}, {0, nullptr}};
PyType_Spec spec = {
    "ferry._ferry.Session", sizeof(SessionObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};

}  // namespace

SessionState::~SessionState() {
  Py_XDECREF(handle);
  for (const Io& io : inputs) Py_XDECREF(io.key);
  for (const Io& io : outputs) Py_XDECREF(io.key);
}

bool ReadIo(const ferry_engine_io& from, Io* out) {
  out->name = from.name;
  out->key = PyUnicode_InternFromString(from.name);
  out->type = from.type;
  out->rank = from.rank;
  std::copy(from.shape, from.shape + FERRY_MAX_RANK, out->shape);
  return out->key != nullptr;
}

PyObject* NewSession(PyObject* handle, std::vector<Io> inputs, std::vector<Io> outputs,
                     bool arrays) {
  auto state = std::make_unique<SessionState>();
  state->handle = handle;
  state->arrays = arrays;
  state->inputs = std::move(inputs);
  state->outputs = std::move(outputs);
  state->in.resize(state->inputs.size());
  state->out.resize(state->outputs.size());
  state->given = std::make_unique<Input[]>(state->inputs.size());
  state->results.resize(state->outputs.size());
  RememberDeclared(*state);
  const auto make = reinterpret_cast<allocfunc>(PyType_GetSlot(session_type, Py_tp_alloc));
  auto* out = reinterpret_cast<SessionObject*>(make(session_type, 0));
  if (out == nullptr) return nullptr;
  out->state = state.release();
  return reinterpret_cast<PyObject*>(out);
}

bool InitSession(PyObject* module) {
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) return false;
  session_type = reinterpret_cast<PyTypeObject*>(type);
  return PyModule_AddObjectRef(module, "Session", type) == 0;
}

}  // namespace ferry::python
