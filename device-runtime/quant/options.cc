#include "device-runtime/quant/options.h"

#include <array>

namespace ferry::quant {
namespace {

constexpr std::array<std::string_view, 6> kTypes = {"int8",    "int8-dynamic", "weight8",
                                                    "weight4", "f16",          "bf16"};
constexpr std::array<std::string_view, 4> kCalibrations = {"minmax", "percentile", "kl", "mse"};

template <typename Enum, size_t n>
Result<Enum> Parse(std::string_view name, const std::array<std::string_view, n>& names,
                   std::string_view what) {
  std::string all;
  for (size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
    all += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  return Status::Of(Code::kInvalidArgument, "{} '{}' is none of {}", what, name, all);
}

}  // namespace

std::string_view TypeName(Type type) {
  return kTypes[static_cast<size_t>(type)];
}
Result<Type> ParseType(std::string_view name) {
  return Parse<Type>(name, kTypes, "type");
}
std::string_view CalibrationName(Calibration calibration) {
  return kCalibrations[static_cast<size_t>(calibration)];
}
Result<Calibration> ParseCalibration(std::string_view name) {
  return Parse<Calibration>(name, kCalibrations, "calibration");
}

}  // namespace ferry::quant
