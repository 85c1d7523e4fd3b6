// The runtime: tasks, the agent, tables, policies.
#include <cstring>

#include "sdk/python/source/handle.h"
#include "sdk/python/source/module.h"

namespace ferry::python {
namespace {

// The key of the app's key store: 32 bytes, or what gives them.
class AtRestKey {
 public:
  explicit AtRestKey(PyObject* given) : given_(given) {}
  ~AtRestKey() {
    Py_XDECREF(kind_);
    Py_XDECREF(value_);
    Py_XDECREF(traceback_);
  }
  AtRestKey(const AtRestKey&) = delete;
  AtRestKey& operator=(const AtRestKey&) = delete;
  template <typename Options>
  void Fill(Options* options) {
    if (given_ == Py_None) return;
    options->at_rest_key = Ask;
    options->at_rest_context = this;
  }
  // What asking for the key has raised comes before what the library says of it.
  bool Raised() {
    if (kind_ == nullptr) return false;
    PyErr_Restore(std::exchange(kind_, nullptr), std::exchange(value_, nullptr),
                  std::exchange(traceback_, nullptr));
    return true;
  }

 private:
  static int Ask(void* context, unsigned char key[32]) {
    const InCallback callback;
    auto* self = static_cast<AtRestKey*>(context);
    const Ref given(PyCallable_Check(self->given_) != 0 ? PyObject_CallNoArgs(self->given_)
                                                        : Ref::Of(self->given_).release());
    char* bytes = nullptr;
    Py_ssize_t size = 0;
    if (given && PyBytes_AsStringAndSize(given.get(), &bytes, &size) == 0) {
      if (size == 32) {
        std::memcpy(key, bytes, 32);
        return FERRY_kOk;
      }
      RaiseFormat(FERRY_kInvalidArgument, "at_rest_key has %zd bytes, not 32", size);
    }
    PyErr_Fetch(&self->kind_, &self->value_, &self->traceback_);
    return FERRY_kInvalidArgument;
  }

  PyObject* given_;
  PyObject *kind_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};

void OnResult(void* user, const char* json) {
  const InCallback callback;
  CallBack(static_cast<PyObject*>(user), Py_BuildValue("(s)", json));
}

PyObject* Create(PyObject*, PyObject* arguments) {
  ferry_options options = {sizeof(options)};
  long long kv_bytes = 0;
  PyObject *key = nullptr, *on_result = nullptr;
  if (PyArg_ParseTuple(arguments, "izLOO", &options.threads, &options.outbox_path, &kv_bytes, &key,
                       &on_result) == 0)
    return nullptr;
  options.kv_bytes = kv_bytes;
  AtRestKey at_rest(key);
  at_rest.Fill(&options);
  ferry_runtime* runtime = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_runtime_create(&options, on_result == Py_None ? nullptr : OnResult, on_result,
                                &runtime);
  }
  if (at_rest.Raised()) return nullptr;
  if (code != FERRY_kOk) return RaiseLast(code);
  return NewHandle(HandleKind::kRuntime, runtime, Ref::Of(on_result).release());
}

PyObject* StartAgent(PyObject*, PyObject* arguments) {
  PyObject *object = nullptr, *key = nullptr;
  ferry_agent_options options = {sizeof(options)};
  long long poll_ms = 0;
  if (PyArg_ParseTuple(arguments, "OszzpLOp", &object, &options.directory, &options.join_token,
                       &options.profile_json, &options.push, &poll_ms, &key,
                       &options.forget_sealed) == 0)
    return nullptr;
  auto* runtime = Get<ferry_runtime>(object);
  if (runtime == nullptr) return nullptr;
  options.poll_ms = poll_ms;
  AtRestKey at_rest(key);
  at_rest.Fill(&options);
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_agent_start(runtime, &options);
  }
  return at_rest.Raised() ? nullptr : NoneOr(code);
}

// Functions of a runtime and a text.
template <auto Function>
PyObject* WithText(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  const char* text = nullptr;
  if (PyArg_ParseTuple(arguments, "Os", &object, &text) == 0) return nullptr;
  auto* runtime = Get<ferry_runtime>(object);
  if (runtime == nullptr) return nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = Function(runtime, text);
  }
  return NoneOr(code);
}

// Of a package's table and a text; `answers`: they give one.
template <auto Function, bool answers>
PyObject* OfTable(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  const char *package = nullptr, *table = nullptr, *text = nullptr;
  if (PyArg_ParseTuple(arguments, "Ozss", &object, &package, &table, &text) == 0) return nullptr;
  auto* runtime = Get<ferry_runtime>(object);
  if (runtime == nullptr) return nullptr;
  char* answer = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    if constexpr (answers)
      code = Function(runtime, package, table, text, &answer);
    else
      code = Function(runtime, package, table, text);
  }
  return answers ? TextOr(code, answer) : NoneOr(code);
}

PyObject* Flush(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  long long timeout_ms = 0;
  if (PyArg_ParseTuple(arguments, "OL", &object, &timeout_ms) == 0) return nullptr;
  auto* runtime = Get<ferry_runtime>(object);
  if (runtime == nullptr) return nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_flush(runtime, timeout_ms);
  }
  return NoneOr(code);
}

PyObject* CallTask(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  const char *package = nullptr, *function = nullptr, *argument = nullptr;
  if (PyArg_ParseTuple(arguments, "Osss", &object, &package, &function, &argument) == 0)
    return nullptr;
  auto* runtime = Get<ferry_runtime>(object);
  if (runtime == nullptr) return nullptr;
  uint64_t call = 0;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_task_call(runtime, package, function, argument, &call);
  }
  return code == FERRY_kOk ? PyLong_FromUnsignedLongLong(call) : RaiseLast(code);
}

PyObject* ReadFile(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  const char *package = nullptr, *name = nullptr;
  if (PyArg_ParseTuple(arguments, "Oss", &object, &package, &name) == 0) return nullptr;
  auto* runtime = Get<ferry_runtime>(object);
  if (runtime == nullptr) return nullptr;
  uint8_t* bytes = nullptr;
  size_t size = 0;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_file_read(runtime, package, name, &bytes, &size);
  }
  if (code != FERRY_kOk) return RaiseLast(code);
  PyObject* out = PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes),
                                            static_cast<Py_ssize_t>(size));
  ferry_bytes_free(bytes);
  return out;
}

PyObject* SetConsent(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  int given = 0;
  if (PyArg_ParseTuple(arguments, "Op", &object, &given) == 0) return nullptr;
  auto* runtime = Get<ferry_runtime>(object);
  if (runtime == nullptr) return nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_consent_set(runtime, given);
  }
  return NoneOr(code);
}

// (whether it matches, why not)
PyObject* Matches(PyObject*, PyObject* arguments) {
  const char *rule = nullptr, *attributes = nullptr, *salt = nullptr;
  if (PyArg_ParseTuple(arguments, "sss", &rule, &attributes, &salt) == 0) return nullptr;
  int matches = 0;
  char* reason = nullptr;
  const int code = ferry_policy_matches(rule, attributes, salt, &matches, &reason);
  if (code != FERRY_kOk) return RaiseLast(code);
  const Ref text(TextOr(code, reason));
  return text ? Py_BuildValue("OO", matches != 0 ? Py_True : Py_False, text.get()) : nullptr;
}

PyObject* Version(PyObject*, PyObject*) {
  return PyUnicode_FromString(ferry_version());
}
PyObject* CodeName(PyObject*, PyObject* code) {
  const long number = PyLong_AsLong(code);
  if (number == -1 && PyErr_Occurred() != nullptr) return nullptr;
  return PyUnicode_FromString(ferry_code_name(static_cast<int>(number)));
}

}  // namespace

PyMethodDef runtime_functions[] = {
    {"version", Version, METH_NOARGS, nullptr},
    {"code_name", CodeName, METH_O, nullptr},
    {"runtime_create", Create, METH_VARARGS, nullptr},
    {"agent_start", StartAgent, METH_VARARGS, nullptr},
    {"task_open", WithText<ferry_task_open>, METH_VARARGS, nullptr},
    {"event_send", WithText<ferry_event_send>, METH_VARARGS, nullptr},
    {"event_send_durable", WithText<ferry_event_send_durable>, METH_VARARGS, nullptr},
    {"have_text", JsonOf<ferry_have_text, ferry_runtime>, METH_O, nullptr},
    {"take_text", WithText<ferry_take_text>, METH_VARARGS, nullptr},
    {"conditions_set", WithText<ferry_conditions_set>, METH_VARARGS, nullptr},
    {"flush", Flush, METH_VARARGS, nullptr},
    {"task_call", CallTask, METH_VARARGS, nullptr},
    {"file_read", ReadFile, METH_VARARGS, nullptr},
    {"table_get", OfTable<ferry_table_get, true>, METH_VARARGS, nullptr},
    {"table_put", OfTable<ferry_table_put, false>, METH_VARARGS, nullptr},
    {"table_delete", OfTable<ferry_table_delete, false>, METH_VARARGS, nullptr},
    {"table_range", OfTable<ferry_table_range, true>, METH_VARARGS, nullptr},
    {"consent_set", SetConsent, METH_VARARGS, nullptr},
    {"data_erase", JsonOf<ferry_data_erase, ferry_runtime>, METH_O, nullptr},
    {"status", JsonOf<ferry_status, ferry_runtime>, METH_O, nullptr},
    {"policy_matches", Matches, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace ferry::python
