// The element types of ferry.h and of the engine. Internal to the SDK's rooms.
#pragma once

#include <optional>

#include "device-runtime/tensor/dtype.h"

namespace ferry::api {

// The engine's type of a FERRY_TYPE_*; nullopt for another number.
std::optional<tensor::DType> DTypeOfType(int type);
int TypeOfDType(tensor::DType dtype);

}  // namespace ferry::api
