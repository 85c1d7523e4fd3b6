#include "tools/ferry/engine/quantize.h"

#include <charconv>

#include "common/base/json.h"
#include "common/sys/executor.h"
#include "common/sys/filesystem.h"
#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/onnx_writer.h"
#include "device-runtime/quant/storage.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

constexpr double kAutomaticError = 0.1;
constexpr std::string_view kRandom = "random:";

std::string Stem(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

// "percentile:99.9".
Status ReadCalibration(const std::string& text, quant::Options& options) {
  const size_t colon = text.find(':');
  FERRY_ASSIGN_OR_RETURN(options.calibration,
                         quant::ParseCalibration(text.substr(0, colon)).Context("--calibrate"));
  if (colon == std::string::npos) return OkStatus();
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + colon + 1, end, options.percentile);
  if (options.calibration == quant::Calibration::kPercentile && error == std::errc() && at == end) {
    return OkStatus();
  }
  return Status::Of(Code::kInvalidArgument, "--calibrate \"{}\": a number fits percentile only",
                    text);
}

Result<quant::Options> OptionsOf(const QuantizeRequest& r) {
  quant::Options options;
  FERRY_ASSIGN_OR_RETURN(options.type, quant::ParseType(r.type).Context("--type"));
  FERRY_TRY(ReadCalibration(r.calibrate, options));
  FERRY_ASSIGN_OR_RETURN(options.activations, tensor::ParseDType(r.activations));
  options.per_channel = !r.per_tensor;
  options.block = r.block;
  options.zero_points = r.zero_points;
  options.skip = r.skip;
  options.keep_first = r.keep_first;
  options.keep_last = r.keep_last;
  options.correct_bias = !r.no_bias_correction;
  options.equalize = !r.no_equalize;
  options.max_error = r.max_error > 0 ? r.max_error : (r.automatic ? kAutomaticError : 0);
  options.sensitivity = r.sensitivity;
  options.measured_samples = r.measured;
  return options;
}

std::vector<engine::IoInfo> InputsOf(const ir::Graph& graph) {
  std::vector<engine::IoInfo> out;
  for (ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[id];
    engine::IoInfo info{value.name,
                        value.dtype.value_or(tensor::DType::kF32),
                        {},
                        {},
                        value.dims.has_value(),
                        value.kind == ir::ValueKind::kTensor ? "" : "sequence or optional"};
    if (value.dims) {
      for (const ir::Dim& dim : *value.dims) {
        info.dims.push_back(dim.extent);
        info.symbols.push_back(dim.symbol);
      }
    }
    out.push_back(std::move(info));
  }
  return out;
}

Result<std::vector<quant::Sample>> SamplesOf(const QuantizeRequest& r, const ir::Graph& graph) {
  const std::vector<engine::IoInfo> inputs = InputsOf(graph);
  if (r.data.size() != 1 || !r.data[0].starts_with(kRandom)) {
    return ReadSamples(inputs, r.data, r.samples);
  }
  int64_t count = 0;
  const char* begin = r.data[0].data() + kRandom.size();
  const char* end = r.data[0].data() + r.data[0].size();
  const auto [at, error] = std::from_chars(begin, end, count);
  if (error != std::errc() || at != end || count < 1 || count > r.samples) {
    return Status::Of(Code::kInvalidArgument, "--data \"{}\": random:N has N from 1 to {}",
                      r.data[0], r.samples);
  }
  return RandomSamples(inputs, count, r.shapes, r.seed);
}

Status WriteResult(const QuantizeRequest& r, ir::Graph graph) {
  const Working working("writing " + r.out);
  const bool is_onnx = r.to.empty() ? r.out.ends_with(".onnx") : r.to == "qdq-onnx";
  if (is_onnx) {
    return formats::WriteOnnxFile(sys::SystemFileSystem(), r.out, graph);
  }
  quant::ShortenNames(graph);
  FERRY_ASSIGN_OR_RETURN(const Bytes file, engine::Compile(std::move(graph), {Stem(r.file)}));
  return sys::WriteFileAtomically(sys::SystemFileSystem(), r.out, file, sys::kPublicFile);
}

}  // namespace

Result<Output> QuantizeModel(const QuantizeRequest& r, bool json) {
  FERRY_ASSIGN_OR_RETURN(quant::Options options, OptionsOf(r));
  if (!r.file.ends_with(".onnx")) {
    return Status::Of(Code::kInvalidArgument, "{}: an .onnx model is wanted", r.file);
  }
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, formats::ImportOnnxFile(sys::SystemFileSystem(), r.file));
  FERRY_ASSIGN_OR_RETURN(const auto samples, SamplesOf(r, graph));
  const auto threads = sys::StartThreadPool(0);
  options.parallel = threads.get();
  Progress progress("quantising " + r.file);
  options.progress = [&](std::string_view what, size_t done, size_t all) {
    progress.Say(fmt::format("{}, {} of {}", what, done, all));
  };
  FERRY_ASSIGN_OR_RETURN(quant::Quantized result,
                         quant::Quantize(std::move(graph), samples, options).Context("{}", r.file));
  FERRY_TRY(WriteResult(r, std::move(result.graph)).Context("{}", r.out));
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo before, sys::SystemFileSystem().Stat(r.file));
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo after, sys::SystemFileSystem().Stat(r.out));
  Output out;
  Json& object = out.json();
  object = QuantizeReportJson(result.report);
  object["model"] = r.file;
  object["out"] = r.out;
  object["type"] = r.type;
  object["samples"] = samples.size();
  object["input_bytes"] = before.size;
  object["output_bytes"] = after.size;
  if (!json) out.text = QuantizeReportText(result.report);
  out.text += fmt::format("{} -> {}: {} -> {}, {:.2f} times smaller\n", r.file, r.out,
                          SizeText(before.size), SizeText(after.size),
                          static_cast<double>(before.size) / static_cast<double>(after.size));
  return out;
}

}  // namespace ferry::cli
