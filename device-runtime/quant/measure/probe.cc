#include "device-runtime/quant/measure/probe.h"

#include <algorithm>
#include <cmath>

namespace ferry::quant {

Result<Probe> Probe::Create(ir::Graph graph, const std::vector<std::string>& watched,
                            sys::Parallel* parallel) {
  Probe probe;
  graph.outputs.clear();
  for (const std::string& name : watched) {
    const auto value = std::ranges::find(graph.values, name, &ir::Value::name);
    if (value == graph.values.end()) {
      return Status::Of(Code::kInvalidArgument, "the graph has no value '{}'", name);
    }
    const auto id = static_cast<ir::ValueId>(value - graph.values.begin());
    const auto known = std::ranges::find(graph.outputs, id);
    probe.output_.push_back(static_cast<size_t>(known - graph.outputs.begin()));
    if (known == graph.outputs.end()) graph.outputs.push_back(id);
  }
  FERRY_ASSIGN_OR_RETURN(auto model, engine::Model::FromGraph(std::move(graph)));
  engine::SessionOptions options;
  options.parallel = parallel;
  FERRY_ASSIGN_OR_RETURN(probe.session_, engine::Session::Create(std::move(model), options));
  return probe;
}

Result<std::vector<std::optional<Tensor>>> Probe::Run(const Sample& sample) {
  std::vector<tensor::NamedValue> inputs;
  for (const NamedTensor& input : sample) inputs.push_back({input.name, input.tensor});
  FERRY_ASSIGN_OR_RETURN(const auto outputs, session_->RunValues(inputs));
  std::vector<std::optional<Tensor>> out;
  for (size_t which : output_) {
    const tensor::Value& value = outputs[which].value;
    const bool is_float = value.IsTensor() && value.tensor().dtype() == DType::kF32;
    out.push_back(is_float ? std::optional(value.tensor()) : std::nullopt);
  }
  return out;
}

void Distance::Add(const Tensor& a, const Tensor& b) {
  const auto x = a.data<float>();
  if (b.dtype() != DType::kF32 || b.elements() != a.elements()) {
    for (float v : x) {
      wanted += double{v} * v;
      error += double{v} * v + 1;
    }
    return;
  }
  const auto y = b.data<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    // The same infinity (a mask), or NaN on both sides, is no error.
    const bool is_same = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]));
    if (is_same && !std::isfinite(x[i])) continue;
    const double d = double{x[i]} - y[i];
    dot += double{x[i]} * y[i];
    wanted += double{x[i]} * x[i];
    got += double{y[i]} * y[i];
    error += d * d;
  }
}

double Distance::Cosine() const {
  if (wanted == 0 && got == 0) return 1;
  const double product = std::sqrt(wanted) * std::sqrt(got);
  return product > 0 ? dot / product : 0;
}

double Distance::SnrDb() const {
  if (error == 0) return kMostSnr;
  if (!(wanted > 0)) return 0;
  return std::min(kMostSnr, 10 * std::log10(wanted / error));
}

double Distance::Relative() const {
  if (error == 0) return 0;
  return wanted > 0 ? std::sqrt(error / wanted) : std::max(1.0, std::sqrt(error));
}

}  // namespace ferry::quant
