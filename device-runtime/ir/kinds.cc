#include "device-runtime/ir/kinds.h"

#include <algorithm>
#include <iterator>

namespace ferry::ir {
namespace {

// Each in the order of its enumerators.
constexpr std::string_view kReduceKinds[] = {"Sum",    "Mean",      "Max",        "Min",
                                             "Prod",   "SumSquare", "L1",         "L2",
                                             "ArgMax", "ArgMin",    "ArgMaxLast", "ArgMinLast"};
constexpr std::string_view kActivations[] = {
    "", "Clip", "Gelu", "HardSigmoid", "HardSwish", "LeakyRelu", "Sigmoid", "Silu", "Tanh"};
constexpr std::string_view kCellFunctions[] = {
    "affine",  "elu",      "hardsigmoid", "leakyrelu", "relu",           "scaledtanh",
    "sigmoid", "softplus", "softsign",    "tanh",      "thresholdedrelu"};
constexpr std::string_view kMapFunctions[] = {
#define FERRY_MAP_FUNCTION(name) #name,
#include "device-runtime/ir/map_functions.inc"
#undef FERRY_MAP_FUNCTION
};
static_assert(std::size(kReduceKinds) == static_cast<size_t>(ReduceKind::kArgMinLast) + 1);
static_assert(std::size(kActivations) == static_cast<size_t>(Activation::kTanh) + 1);
static_assert(std::size(kCellFunctions) == static_cast<size_t>(CellFunction::kThresholdedRelu) + 1);

template <typename Kind, size_t N>
std::optional<Kind> Find(const std::string_view (&names)[N], std::string_view name) {
  const auto* at = std::ranges::find(names, name);
  if (at == std::end(names)) return std::nullopt;
  return static_cast<Kind>(at - names);
}

}  // namespace

std::string_view Name(ReduceKind kind) {
  return kReduceKinds[static_cast<size_t>(kind)];
}
std::string_view Name(Activation activation) {
  return kActivations[static_cast<size_t>(activation)];
}
std::string_view Name(CellFunction function) {
  return kCellFunctions[static_cast<size_t>(function)];
}
std::string_view Name(MapFunction function) {
  return kMapFunctions[static_cast<size_t>(function)];
}

std::optional<ReduceKind> ReduceKindOf(std::string_view name) {
  return Find<ReduceKind>(kReduceKinds, name);
}
std::optional<Activation> ActivationOf(std::string_view name) {
  return Find<Activation>(kActivations, name);
}
std::optional<CellFunction> CellFunctionOf(std::string_view name) {
  return Find<CellFunction>(kCellFunctions, name);
}
std::optional<MapFunction> MapFunctionOf(std::string_view name) {
  return Find<MapFunction>(kMapFunctions, name);
}

}  // namespace ferry::ir
