// What a user may choose when a model is quantised.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "device-runtime/tensor/tensor.h"

namespace ferry::sys {
class Parallel;
}  // namespace ferry::sys

namespace ferry::quant {

using tensor::DType;
using tensor::NamedTensor;
using tensor::Tensor;

// What becomes of the layers (convolutions and products with constant weights).
enum class Type {
  kInt8,         // 8-bit weights and activations; ranges of activations from calibration data
  kInt8Dynamic,  // the same with ranges found when the model runs
  kWeight8,      // 8-bit weights, arithmetic in float
  kWeight4,      // 4-bit weights in blocks, arithmetic in float
  kF16,          // all weights stored as float16
  kBF16,         // as bfloat16
};
// "int8", "int8-dynamic", "weight8", "weight4", "f16", "bf16".
std::string_view TypeName(Type type);
Result<Type> ParseType(std::string_view name);

// How a range is chosen from the values that were seen; calibrate.h.
enum class Calibration { kMinMax, kPercentile, kKl, kMse };
std::string_view CalibrationName(Calibration calibration);
Result<Calibration> ParseCalibration(std::string_view name);

// One set of a model's inputs.
using Sample = std::vector<NamedTensor>;

// Says what long work is at: "calibrating", 3 of 20.
using Progress = std::function<void(std::string_view what, size_t done, size_t all)>;

inline constexpr int64_t kMaxBlock = 1 << 16;

struct Options {
  Type type = Type::kInt8;
  Calibration calibration = Calibration::kMinMax;
  double percentile = 99.99;       // of values inside the range, for kPercentile
  bool per_channel = true;         // weights have a scale for each output channel, else one
  DType activations = DType::kU8;  // or kI8; with a zero point, per tensor
  // Weights of kWeight8 and kWeight4: how many along the summed axis share a scale. 0: 64 with 4
  // bits, all of a channel with 8.
  int64_t block = 0;
  bool zero_points = false;       // of such blocks; else they are symmetric
  std::vector<std::string> skip;  // layers that stay float: globs ("*", "?") on names of nodes
  int keep_first = 0;             // so many layers at the model's beginning and end stay float
  int keep_last = 0;
  bool correct_bias = true;  // what rounding weights does to means goes into the bias
  bool equalize = true;      // equal ranges over the channels between neighbouring convolutions
  // The bound on the relative error of the model's outputs: layers take a finer form, or stay
  // float, until it holds. 0: no bound.
  double max_error = 0;
  bool sensitivity = false;           // report what each layer alone does to the outputs
  int measured_samples = 8;           // of the data, for the report and the bound
  sys::Parallel* parallel = nullptr;  // threads for running the model; null: the caller's
  Progress progress;

  void Say(std::string_view what, size_t done, size_t all) const {
    if (progress) progress(what, done, all);
  }
};

}  // namespace ferry::quant
