// The functions of the extension, by what they are about.
#pragma once

#include "sdk/python/source/python.h"

namespace ferry::python {

extern PyMethodDef engine_functions[];   // engine.cc
extern PyMethodDef runtime_functions[];  // runtime.cc
extern PyMethodDef chat_functions[];     // chat.cc
extern PyMethodDef stream_functions[];   // stream.cc

}  // namespace ferry::python
