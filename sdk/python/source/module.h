// The functions of the extension, by what they are about.
#pragma once

#include <cstdint>
#include <vector>

#include "sdk/python/source/python.h"

namespace ferry::python {

extern PyMethodDef engine_functions[];    // engine.cc
extern PyMethodDef runtime_functions[];   // runtime.cc
extern PyMethodDef chat_functions[];      // chat.cc
extern PyMethodDef sequence_functions[];  // sequence.cc
extern PyMethodDef stream_functions[];    // stream.cc

// A list of token ids; false with an exception. Its data is never null. sequence.cc
bool ReadIds(PyObject* list, std::vector<int32_t>* ids);

}  // namespace ferry::python
