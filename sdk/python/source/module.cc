// The extension ferry._ferry: device-runtime/api/ferry.h for Python. Apps use the modules of the
// package.
#include "sdk/python/source/module.h"

#include "sdk/python/source/handle.h"
#include "sdk/python/source/session.h"
#include "sdk/python/source/tensor.h"

namespace ferry::python {
namespace {

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "ferry._ferry",
                          nullptr,
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

PyObject* Init() {
  Ref module(PyModule_Create(&definition));
  if (!module || !InitErrors() || !InitTensor(module.get()) || !InitHandles(module.get()) ||
      !InitSession(module.get()))
    return nullptr;
  for (PyMethodDef* functions :
       {engine_functions, runtime_functions, chat_functions, sequence_functions, stream_functions})
    if (PyModule_AddFunctions(module.get(), functions) != 0) return nullptr;
  return module.release();
}

}  // namespace
}  // namespace ferry::python

PyMODINIT_FUNC PyInit__ferry() {
  return ferry::python::Init();
}
