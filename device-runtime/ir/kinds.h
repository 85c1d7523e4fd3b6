// What a reduction, an activation or an element-wise function is. The names are those that text
// forms, plans and files show: of ONNX, but for recurrent cells in small letters.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ferry::ir {

// kArgMaxLast, kArgMinLast: the last of equal ones.
enum class ReduceKind : uint8_t {
  kSum,
  kMean,
  kMax,
  kMin,
  kProd,
  kSumSquare,
  kL1,
  kL2,
  kArgMax,
  kArgMin,
  kArgMaxLast,
  kArgMinLast,
};
constexpr bool IsIndex(ReduceKind kind) {
  return kind >= ReduceKind::kArgMax;
}

// Behind a convolution or a product. Relu is kClip from 0.
enum class Activation : uint8_t {
  kNone,
  kClip,
  kGelu,
  kHardSigmoid,
  kHardSwish,
  kLeakyRelu,
  kSigmoid,
  kSilu,
  kTanh,
};

// Inside a recurrent cell.
enum class CellFunction : uint8_t {
  kAffine,
  kElu,
  kHardSigmoid,
  kLeakyRelu,
  kRelu,
  kScaledTanh,
  kSigmoid,
  kSoftplus,
  kSoftsign,
  kTanh,
  kThresholdedRelu,
};

// Of a map: kernels/map/codes.inc says what each means on which type.
enum class MapFunction : uint8_t {
#define FERRY_MAP_FUNCTION(name) k##name,
#include "device-runtime/ir/map_functions.inc"
#undef FERRY_MAP_FUNCTION
};

// "Sum", "HardSwish", "scaledtanh", "MulAdd"; of Activation::kNone "".
std::string_view Name(ReduceKind kind);
std::string_view Name(Activation activation);
std::string_view Name(CellFunction function);
std::string_view Name(MapFunction function);

// The kind of a name; none for others.
std::optional<ReduceKind> ReduceKindOf(std::string_view name);
std::optional<Activation> ActivationOf(std::string_view name);
std::optional<CellFunction> CellFunctionOf(std::string_view name);
std::optional<MapFunction> MapFunctionOf(std::string_view name);

}  // namespace ferry::ir
