#include "device-runtime/api/engine/types.h"

#include <array>

#include "device-runtime/api/support/c_support.h"

namespace ferry::api {
namespace {

struct TypeRow {
  int type;
  tensor::DType dtype;
};
using enum tensor::DType;
constexpr std::array kTypes = {
    TypeRow{FERRY_TYPE_F32, kF32},
    TypeRow{FERRY_TYPE_U8, kU8},
    TypeRow{FERRY_TYPE_I8, kI8},
    TypeRow{FERRY_TYPE_U16, kU16},
    TypeRow{FERRY_TYPE_I16, kI16},
    TypeRow{FERRY_TYPE_I32, kI32},
    TypeRow{FERRY_TYPE_I64, kI64},
    TypeRow{FERRY_TYPE_STRING, kString},
    TypeRow{FERRY_TYPE_BOOL, kBool},
    TypeRow{FERRY_TYPE_F16, kF16},
    TypeRow{FERRY_TYPE_F64, kF64},
    TypeRow{FERRY_TYPE_U32, kU32},
    TypeRow{FERRY_TYPE_U64, kU64},
    TypeRow{FERRY_TYPE_BF16, kBF16},
    TypeRow{FERRY_TYPE_F8E4M3FN, kF8E4M3FN},
    TypeRow{FERRY_TYPE_F8E4M3FNUZ, kF8E4M3FNUZ},
    TypeRow{FERRY_TYPE_F8E5M2, kF8E5M2},
    TypeRow{FERRY_TYPE_F8E5M2FNUZ, kF8E5M2FNUZ},
    TypeRow{FERRY_TYPE_U4, kU4},
    TypeRow{FERRY_TYPE_I4, kI4},
    TypeRow{FERRY_TYPE_F4E2M1, kF4E2M1},
    TypeRow{FERRY_TYPE_F8E8M0, kF8E8M0},
    TypeRow{FERRY_TYPE_U2, kU2},
    TypeRow{FERRY_TYPE_I2, kI2},
};

}  // namespace

std::optional<tensor::DType> DTypeOfType(int type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return row.dtype;
  return std::nullopt;
}

int TypeOfDType(tensor::DType dtype) {
  for (const TypeRow& row : kTypes)
    if (row.dtype == dtype) return row.type;
  return 0;
}

}  // namespace ferry::api

extern "C" {

const char* ferry_type_name(int type) {
  const auto dtype = ferry::api::DTypeOfType(type);
  return dtype ? ferry::tensor::DTypeName(*dtype).data() : nullptr;
}

size_t ferry_type_bytes(int type) {
  const auto dtype = ferry::api::DTypeOfType(type);
  return dtype ? ferry::tensor::DTypeSize(*dtype) : 0;
}

}  // extern "C"
