// `ferry quantize`: the request, reading calibration data, the report.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device-runtime/engine/engine.h"
#include "device-runtime/quant/quantize.h"
#include "tools/ferry/command.h"

namespace ferry::cli {

struct QuantizeRequest {
  std::string file, out;
  std::string type = "int8";
  std::string to;  // "fm", "qdq-onnx", or "": by the name of `out`
  std::vector<std::string> data;
  std::vector<std::string> shapes;  // of random data
  uint64_t seed = 1;
  int64_t samples = 128;
  std::string calibrate = "minmax";
  std::string activations = "u8";
  bool per_tensor = false;
  int64_t block = 0;
  bool zero_points = false;
  std::vector<std::string> skip;
  int keep_first = 0, keep_last = 0;
  bool no_bias_correction = false, no_equalize = false;
  bool automatic = false;
  double max_error = 0;  // 0: none
  bool sensitivity = false;
  int measured = 8;
};
// Quantises a model and writes it.
Result<Output> QuantizeModel(const QuantizeRequest& request, bool json);

// The samples that --data names, `most` at most. Arrays that hold several (one more axis than the
// input, or a multiple of its first extent) are cut. Errors name file and input: kInvalidArgument,
// kShapeMismatch, kNotFound, those of reading.
Result<std::vector<quant::Sample>> ReadSamples(std::span<const engine::IoInfo> inputs,
                                               const std::vector<std::string>& data, int64_t most);
// "random:N": floats in [-1, 1), integers 0 or 1; free extents from "NAME=1x3x224x224", else 1.
Result<std::vector<quant::Sample>> RandomSamples(std::span<const engine::IoInfo> inputs,
                                                 int64_t count,
                                                 const std::vector<std::string>& shapes,
                                                 uint64_t seed);

Json QuantizeReportJson(const quant::Report& report);
// A table of layers, those that hurt first, and the totals.
std::string QuantizeReportText(const quant::Report& report);

}  // namespace ferry::cli
