// Tokens of texts, and sequences of tokens.
#include <string>
#include <vector>

#include "sdk/python/source/handle.h"
#include "sdk/python/source/module.h"

namespace ferry::python {

bool ReadIds(PyObject* list, std::vector<int32_t>* ids) {
  const Py_ssize_t count = PySequence_Size(list);
  if (count < 0) return false;
  ids->reserve(static_cast<size_t>(count) + 1);  // so that its data is not null where it is empty
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Ref item(PySequence_GetItem(list, i));
    const long id = item ? PyLong_AsLong(item.get()) : -1;
    if (PyErr_Occurred() != nullptr) return false;
    if (id != static_cast<int32_t>(id)) {
      RaiseFormat(FERRY_kInvalidArgument, "token id %ld", id);
      return false;
    }
    ids->push_back(static_cast<int32_t>(id));
  }
  return true;
}

namespace {

PyObject* ListOf(const int32_t* ids, size_t count) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; list != nullptr && i < count; ++i)
    PyList_SetItem(list, static_cast<Py_ssize_t>(i), PyLong_FromLong(ids[i]));
  return list;
}

// The ids that `ask(ids, capacity, &count)` gives, asked again where there are more than it took.
template <typename Ask>
PyObject* IdsOf(size_t guess, const Ask& ask) {
  std::vector<int32_t> ids;
  size_t count = guess;
  int code = 0;
  {
    const WithoutLock free;
    do {
      ids.resize(count);
      code = ask(ids.data(), ids.size(), &count);
    } while (code == FERRY_kOk && count > ids.size());
  }
  return code == FERRY_kOk ? ListOf(ids.data(), count) : RaiseLast(code);
}

// encode(model, text, as_text)
PyObject* Encode(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  const char* text = nullptr;
  Py_ssize_t bytes = 0;
  int as_text = 0;
  if (PyArg_ParseTuple(arguments, "Os#p", &object, &text, &bytes, &as_text) == 0) return nullptr;
  auto* model = Get<ferry_model>(object);
  if (model == nullptr) return nullptr;
  const std::string whole(text, static_cast<size_t>(bytes));
  if (whole.find('\0') != std::string::npos)
    return RaiseError(FERRY_kInvalidArgument, "the text has a NUL");
  return IdsOf(whole.size() / 2 + 8, [&](int32_t* ids, size_t capacity, size_t* count) {
    return ferry_model_encode(model, whole.c_str(), as_text, ids, capacity, count);
  });
}

// decode(model, ids, skip_specials)
PyObject* Decode(PyObject*, PyObject* arguments) {
  PyObject *object = nullptr, *list = nullptr;
  int skip = 0;
  if (PyArg_ParseTuple(arguments, "OOp", &object, &list, &skip) == 0) return nullptr;
  auto* model = Get<ferry_model>(object);
  std::vector<int32_t> ids;
  if (model == nullptr || !ReadIds(list, &ids)) return nullptr;
  char* text = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_model_decode(model, ids.data(), ids.size(), skip, &text);
  }
  return TextOr(code, text);
}

// create(model, context)
PyObject* Create(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  long long context = 0;
  if (PyArg_ParseTuple(arguments, "OL", &object, &context) == 0) return nullptr;
  auto* model = Get<ferry_model>(object);
  if (model == nullptr) return nullptr;
  ferry_sequence* sequence = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_sequence_create(model, context, &sequence);
  }
  return code == FERRY_kOk ? NewHandle(HandleKind::kSequence, sequence) : RaiseLast(code);
}

// append(sequence, ids)
PyObject* Append(PyObject*, PyObject* arguments) {
  PyObject *object = nullptr, *list = nullptr;
  if (PyArg_ParseTuple(arguments, "OO", &object, &list) == 0) return nullptr;
  auto* sequence = Get<ferry_sequence>(object);
  std::vector<int32_t> ids;
  if (sequence == nullptr || !ReadIds(list, &ids)) return nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_sequence_append(sequence, ids.data(), ids.size());
  }
  return NoneOr(code);
}

// truncate(sequence, length)
PyObject* Truncate(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  Py_ssize_t length = 0;
  if (PyArg_ParseTuple(arguments, "On", &object, &length) == 0) return nullptr;
  auto* sequence = Get<ferry_sequence>(object);
  if (sequence == nullptr) return nullptr;
  if (length < 0) return RaiseFormat(FERRY_kInvalidArgument, "truncate(%zd)", length);
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_sequence_truncate(sequence, static_cast<size_t>(length));
  }
  return NoneOr(code);
}

PyObject* Tokens(PyObject*, PyObject* object) {
  auto* sequence = Get<ferry_sequence>(object);
  if (sequence == nullptr) return nullptr;
  return IdsOf(0, [&](int32_t* ids, size_t capacity, size_t* count) {
    return ferry_sequence_tokens(sequence, ids, capacity, count);
  });
}

// logits(sequence, vocabulary): the bytes of as many floats
PyObject* Logits(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  Py_ssize_t vocabulary = 0;
  if (PyArg_ParseTuple(arguments, "On", &object, &vocabulary) == 0) return nullptr;
  auto* sequence = Get<ferry_sequence>(object);
  if (sequence == nullptr) return nullptr;
  std::vector<float> logits(static_cast<size_t>(vocabulary));
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_sequence_logits(sequence, logits.data(), logits.size());
  }
  if (code != FERRY_kOk) return RaiseLast(code);
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(logits.data()),
                                   vocabulary * static_cast<Py_ssize_t>(sizeof(float)));
}

// `user` of a generation. What its function raises ends the generation and is raised by the call.
struct Hearing {
  std::string text;
  PyObject* function;  // of (text, ids), true to go on; None
};
int Hear(void* user, const char* text, const int32_t* ids, size_t count) {
  auto& self = *static_cast<Hearing*>(user);
  self.text += text;
  const InCallback callback;
  if (Py_IsNone(self.function) != 0) return PyErr_CheckSignals() == 0 ? 0 : 1;
  const Ref arguments(Py_BuildValue("sN", text, ListOf(ids, count)));
  const Ref result(arguments ? PyObject_CallObject(self.function, arguments.get()) : nullptr);
  return result && PyObject_IsTrue(result.get()) == 1 ? 0 : 1;
}

// generate(sequence, (ignore_end, seed, temperature, top_k, top_p, repetition_penalty, max_new),
// function): (text, reason)
PyObject* Generate(PyObject*, PyObject* arguments) {
  PyObject *object = nullptr, *settings = nullptr;
  Hearing hearing{{}, nullptr};
  if (PyArg_ParseTuple(arguments, "OOO", &object, &settings, &hearing.function) == 0)
    return nullptr;
  ferry_session_options options = {sizeof(options)};
  unsigned long long seed = 0;
  long long top_k = 0, max_new = 0;
  if (PyArg_ParseTuple(settings, "pKfLffL", &options.ignore_end, &seed, &options.temperature,
                       &top_k, &options.top_p, &options.repetition_penalty, &max_new) == 0)
    return nullptr;
  options.seed = seed;
  options.top_k = top_k;
  options.max_new = max_new;
  auto* sequence = Get<ferry_sequence>(object);
  if (sequence == nullptr) return nullptr;
  const char* reason = "";
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_sequence_generate(sequence, &options, Hear, &hearing, &reason);
  }
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (code != FERRY_kOk) return RaiseLast(code);
  return Py_BuildValue("s#s", hearing.text.data(), static_cast<Py_ssize_t>(hearing.text.size()),
                       reason);
}

}  // namespace

PyMethodDef sequence_functions[] = {{"model_encode", Encode, METH_VARARGS, nullptr},
                                    {"model_decode", Decode, METH_VARARGS, nullptr},
                                    {"sequence_create", Create, METH_VARARGS, nullptr},
                                    {"sequence_append", Append, METH_VARARGS, nullptr},
                                    {"sequence_truncate", Truncate, METH_VARARGS, nullptr},
                                    {"sequence_tokens", Tokens, METH_O, nullptr},
                                    {"sequence_logits", Logits, METH_VARARGS, nullptr},
                                    {"sequence_generate", Generate, METH_VARARGS, nullptr},
                                    {nullptr, nullptr, 0, nullptr}};

}  // namespace ferry::python
