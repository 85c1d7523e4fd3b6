// Language models, their adapters, and generations.
#include <vector>

#include "sdk/python/source/handle.h"
#include "sdk/python/source/module.h"

namespace ferry::python {
namespace {

PyObject* OpenModel(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  const char* name = nullptr;
  if (PyArg_ParseTuple(arguments, "Os", &object, &name) == 0) return nullptr;
  auto* runtime = Get<ferry_runtime>(object);
  if (runtime == nullptr) return nullptr;
  ferry_model* model = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_model_open(runtime, name, &model);
  }
  return code == FERRY_kOk ? NewHandle(HandleKind::kModel, model) : RaiseLast(code);
}

PyObject* OpenAdapter(PyObject*, PyObject* arguments) {
  PyObject *object = nullptr, *base = nullptr;
  const char* name = nullptr;
  if (PyArg_ParseTuple(arguments, "OOs", &object, &base, &name) == 0) return nullptr;
  auto* runtime = Get<ferry_runtime>(object);
  auto* model = runtime == nullptr ? nullptr : Get<ferry_model>(base);
  if (model == nullptr) return nullptr;
  ferry_adapter* adapter = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_adapter_open(runtime, model, name, &adapter);
  }
  return code == FERRY_kOk ? NewHandle(HandleKind::kAdapter, adapter) : RaiseLast(code);
}

// `user` of the callbacks: a tuple (on_tokens, on_mode, on_end).
PyObject* CallableAt(void* user, Py_ssize_t place) {
  return PyTuple_GetItem(static_cast<PyObject*>(user), place);
}

void OnTokens(void* user, const char* text, const int32_t* ids, size_t count, int source) {
  const InCallback callback;
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; list != nullptr && i < count; ++i)
    PyList_SetItem(list, static_cast<Py_ssize_t>(i), PyLong_FromLong(ids[i]));
  CallBack(CallableAt(user, 0), Py_BuildValue("sNi", text, list, source));
}
void OnMode(void* user, int mode, const char* why) {
  const InCallback callback;
  CallBack(CallableAt(user, 1), Py_BuildValue("is", mode, why));
}
void OnEnd(void* user, int code, const char* stats_json) {
  const InCallback callback;
  CallBack(CallableAt(user, 2), Py_BuildValue("is", code, stats_json));
}

// [(handle, scale), ..]
bool ReadAdapters(PyObject* pairs, std::vector<const ferry_adapter*>* adapters,
                  std::vector<float>* scales) {
  for (Py_ssize_t i = 0; i < PySequence_Size(pairs); ++i) {
    const Ref pair(PySequence_GetItem(pairs, i));
    PyObject* object = nullptr;
    float scale = 1;
    if (!pair || PyArg_ParseTuple(pair.get(), "Of", &object, &scale) == 0) return false;
    adapters->push_back(Get<ferry_adapter>(object));
    scales->push_back(scale);
    if (adapters->back() == nullptr) return false;
  }
  return PyErr_Occurred() == nullptr;
}

// create(model, (mode, pipelined, no_fallback, ignore_end, seed, temperature, top_k, top_p,
// repetition_penalty, max_new, draft_tokens, memory_bytes, target), adapters, callbacks)
PyObject* Create(PyObject*, PyObject* arguments) {
  PyObject *object = nullptr, *settings = nullptr, *pairs = nullptr, *callbacks = nullptr;
  if (PyArg_ParseTuple(arguments, "OOOO", &object, &settings, &pairs, &callbacks) == 0)
    return nullptr;
  ferry_session_options options = {sizeof(options)};
  unsigned long long seed = 0;
  long long top_k = 0, max_new = 0, draft_tokens = 0, memory_bytes = 0;
  if (PyArg_ParseTuple(settings, "ipppKfLffLLLz", &options.mode, &options.pipelined,
                       &options.no_fallback, &options.ignore_end, &seed, &options.temperature,
                       &top_k, &options.top_p, &options.repetition_penalty, &max_new, &draft_tokens,
                       &memory_bytes, &options.target) == 0)
    return nullptr;
  options.seed = seed;
  options.top_k = top_k;
  options.max_new = max_new;
  options.draft_tokens = draft_tokens;
  options.memory_bytes = memory_bytes;
  std::vector<const ferry_adapter*> adapters;
  std::vector<float> scales;
  auto* model = Get<ferry_model>(object);
  if (model == nullptr || !ReadAdapters(pairs, &adapters, &scales)) return nullptr;
  options.adapters = adapters.data();
  options.adapter_scales = scales.data();
  options.adapter_count = adapters.size();
  const ferry_session_callbacks calls = {sizeof(calls), callbacks, OnTokens, OnMode, OnEnd};
  ferry_session* session = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_session_create(model, &options, &calls, &session);
  }
  if (code != FERRY_kOk) return RaiseLast(code);
  return NewHandle(HandleKind::kChat, session, Ref::Of(callbacks).release());
}

template <auto Function>
PyObject* StartWithText(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  const char* text = nullptr;
  if (PyArg_ParseTuple(arguments, "Os", &object, &text) == 0) return nullptr;
  auto* session = Get<ferry_session>(object);
  if (session == nullptr) return nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = Function(session, text);
  }
  return NoneOr(code);
}

PyObject* StartWithIds(PyObject*, PyObject* arguments) {
  PyObject *object = nullptr, *list = nullptr;
  if (PyArg_ParseTuple(arguments, "OO", &object, &list) == 0) return nullptr;
  auto* session = Get<ferry_session>(object);
  std::vector<int32_t> ids;
  if (session == nullptr || !ReadIds(list, &ids)) return nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_session_start_ids(session, ids.data(), ids.size());
  }
  return NoneOr(code);
}

PyObject* SetMode(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  int mode = 0;
  if (PyArg_ParseTuple(arguments, "Oi", &object, &mode) == 0) return nullptr;
  auto* session = Get<ferry_session>(object);
  if (session == nullptr) return nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_session_set_mode(session, mode);
  }
  return NoneOr(code);
}

PyObject* Cancel(PyObject*, PyObject* object) {
  auto* session = Get<ferry_session>(object);
  if (session == nullptr) return nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_session_cancel(session);
  }
  return NoneOr(code);
}

PyObject* Wait(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  long long timeout_ms = 0;
  if (PyArg_ParseTuple(arguments, "OL", &object, &timeout_ms) == 0) return nullptr;
  auto* session = Get<ferry_session>(object);
  if (session == nullptr) return nullptr;
  if (InCallback::Is()) {
    return RaiseError(FERRY_kFailedPrecondition,
                      "a callback cannot wait for the generation that calls it");
  }
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_session_wait(session, timeout_ms);
  }
  return NoneOr(code);
}

}  // namespace

PyMethodDef chat_functions[] = {
    {"model_open", OpenModel, METH_VARARGS, nullptr},
    {"model_info", JsonOf<ferry_model_info, ferry_model>, METH_O, nullptr},
    {"adapter_open", OpenAdapter, METH_VARARGS, nullptr},
    {"adapter_info", JsonOf<ferry_adapter_info, ferry_adapter>, METH_O, nullptr},
    {"chat_create", Create, METH_VARARGS, nullptr},
    {"chat_start_text", StartWithText<ferry_session_start_text>, METH_VARARGS, nullptr},
    {"chat_start_chat", StartWithText<ferry_session_start_chat>, METH_VARARGS, nullptr},
    {"chat_start_ids", StartWithIds, METH_VARARGS, nullptr},
    {"chat_set_mode", SetMode, METH_VARARGS, nullptr},
    {"chat_cancel", Cancel, METH_O, nullptr},
    {"chat_wait", Wait, METH_VARARGS, nullptr},
    {"chat_stats", JsonOf<ferry_session_stats, ferry_session>, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace ferry::python
