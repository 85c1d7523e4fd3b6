// What the handle ferry_runtime stands for. Internal to the room.
#pragma once

#include <memory>

#include "device-runtime/api/runtime/runtime.h"
#include "device-runtime/api/support/handles.h"

struct ferry_runtime {
  std::unique_ptr<ferry::api::RuntimeCore> runtime;
};
