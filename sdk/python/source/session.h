// One runner of an engine: inputs as the app has them, outputs in memory of their own.
#pragma once

#include <memory>
#include <vector>

#include "sdk/python/source/handle.h"
#include "sdk/python/source/input.h"
#include "sdk/python/source/tensor.h"

namespace ferry::python {

struct SessionState {
  ~SessionState();
  PyObject* handle = nullptr;  // HandleObject
  bool arrays = true;          // results are NumPy's where it is there
  bool busy = false;           // in a run, during which other threads may come
  std::vector<Io> inputs, outputs;
  std::vector<ferry_tensor> in, out;
  std::unique_ptr<Input[]> given;
  std::vector<TensorObject*> results;  // of the run; null where the session's memory is copied
  // What the last run was for and gave, so that the next one of these shapes is written where its
  // result has it.
  std::vector<ferry_tensor> planned, last;
  bool is_known = false;
  std::vector<void*> written;  // where the last run's outputs were, for tests
};

struct SessionObject {
  PyObject_HEAD SessionState* state;
};

// An input or output as the engine tells it.
bool ReadIo(const ferry_engine_io& from, Io* out);
PyObject* NewSession(PyObject* handle, std::vector<Io> inputs, std::vector<Io> outputs,
                     bool arrays);
bool InitSession(PyObject* module);

// ---- result.cc

// The results of a run as what the app gets: an array or tensor each, or null with an exception.
// Takes the tensors of `state.results`.
bool TakeResults(SessionState& state, std::vector<Ref>* out);
// Memory for the results of the next run, where their sizes are known.
bool MakeResults(SessionState& state);
void DropResults(SessionState& state);
// Keeps what the run was for and gave.
void Remember(SessionState& state);
// From what the model declares, where that leaves nothing open.
void RememberDeclared(SessionState& state);

}  // namespace ferry::python
