// Post-training quantisation: from a float graph and calibration data to the graph in QDQ form
// (integers behind DequantizeLinear, QuantizeLinear where activations become integers), with a
// report of what each layer lost.
//
//   FERRY_ASSIGN_OR_RETURN(auto result,
//                          quant::Quantize(graph, samples, {.type = quant::Type::kInt8}));
//   engine::Compile(result.graph, {})  or  formats::WriteOnnxFile(fs, path, result.graph)
#pragma once

#include <span>

#include "device-runtime/ir/graph.h"
#include "device-runtime/quant/options.h"

namespace ferry::quant {

struct LayerReport {
  std::string name, op;
  std::string form;                    // "int8", "weight8", "float", ...
  int64_t float_bytes = 0, bytes = 0;  // of weights and bias
  bool measured = false;               // there was data
  double cosine = 1, snr_db = 0;       // of its output in the quantised model
  double alone = -1;  // relative error of the model's outputs with this layer alone quantised; -1:
                      // not measured
};
struct OutputReport {
  std::string name;
  double cosine = 1, snr_db = 0, relative_error = 0;
  bool same_top1 = true;  // the largest element of each sample is the same
};
struct Report {
  std::vector<LayerReport> layers;    // in the order of the model
  std::vector<OutputReport> outputs;  // empty without data
  std::vector<std::string> notes;
  int64_t float_bytes = 0, bytes = 0;  // of model files
  int evaluations = 0;                 // how often the bound was tried
};

struct Quantized {
  ir::Graph graph;
  Report report;
};

// `samples` are needed for kInt8 (kInvalidArgument without) and for a bound on the error; with
// other types they make a report possible. Errors name sample, input, layer or node:
// kInvalidArgument (wrong names, values that are not finite, a pattern that fits nothing, a model
// that is quantised already, no layer to quantise), kFailedPrecondition (the bound cannot hold),
// those of running the model.
Result<Quantized> Quantize(ir::Graph graph, std::span<const Sample> samples,
                           const Options& options);

}  // namespace ferry::quant
