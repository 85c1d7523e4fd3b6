// What an app gives as an input, as the library takes it: without a copy, but of lists.
#pragma once

#include <string>

#include "sdk/python/source/dlpack.h"
#include "sdk/python/source/python.h"

namespace ferry::python {

// An input or output as the model declares it.
struct Io {
  std::string name;
  PyObject* key = nullptr;  // the name as a str, for as long as the session lives
  int type = 0;
  int rank = -1;
  int64_t shape[FERRY_MAX_RANK] = {};
};

// Keeps what an app gave while the library reads it.
class Input {
 public:
  Input() = default;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  // Copies what is not dense in rows. False with an exception that names the input.
  bool Read(PyObject* value, const Io& io, ferry_tensor* out);
  // Lets go; with the lock held, before this object ends.
  void Clear();

 private:
  bool ReadBuffer(const Io& io, ferry_tensor* out);
  bool ReadDlpack(PyObject* value, const Io& io, ferry_tensor* out);
  bool ReadTexts(const Io& io, ferry_tensor* out);

  Py_buffer view_ = {};  // of nothing where obj is null
  DlManaged* managed_ = nullptr;
  Ref kept_;
  void* memory_ = nullptr;  // of a copy, or of pointers to texts
};

}  // namespace ferry::python
