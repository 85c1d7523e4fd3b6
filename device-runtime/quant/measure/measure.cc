#include "device-runtime/quant/measure/measure.h"

#include <algorithm>
#include <cmath>

namespace ferry::quant {
namespace {

size_t Top(const Tensor& tensor) {
  const auto x = tensor.data<float>();
  return static_cast<size_t>(std::ranges::max_element(x) - x.begin());
}

}  // namespace

Result<Measure> Measure::Create(Builder& builder, std::span<const Sample> samples) {
  Measure m(builder);
  m.samples_ = samples;
  const ir::Graph& graph = builder.prepared().graph;
  for (ir::ValueId id : graph.outputs) {
    if (graph.values[id].kind == ir::ValueKind::kTensor) m.names_.push_back(graph.values[id].name);
  }
  FERRY_ASSIGN_OR_RETURN(Probe probe, Probe::Create(graph, m.names_, builder.options().parallel));
  for (const Sample& sample : samples) {
    FERRY_ASSIGN_OR_RETURN(auto values, probe.Run(sample));
    m.expected_.push_back(std::move(values));
  }
  return m;
}

Result<double> Measure::OutputError(const std::vector<Form>& forms) {
  ++evaluations_;
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, builder_->Build(forms, Target::kSimulate));
  FERRY_ASSIGN_OR_RETURN(Probe probe,
                         Probe::Create(std::move(graph), names_, builder_->options().parallel));
  std::vector<Distance> distances(names_.size());
  for (size_t s = 0; s < samples_.size(); ++s) {
    FERRY_ASSIGN_OR_RETURN(const auto values, probe.Run(samples_[s]));
    for (size_t i = 0; i < names_.size(); ++i) {
      if (expected_[s][i] && values[i]) distances[i].Add(*expected_[s][i], *values[i]);
    }
  }
  double worst = 0;
  for (const Distance& d : distances) {
    const double error = d.Relative();
    worst = error <= worst ? worst : error;  // NaN counts
  }
  return worst;
}

Status Measure::Fill(const std::vector<Form>& forms, const std::vector<size_t>& units,
                     Report& report) {
  const Prepared& p = builder_->prepared();
  std::vector<std::string> names = names_;
  for (size_t u : units) names.push_back(p.graph.values[p.units[u].out].name);
  sys::Parallel* parallel = builder_->options().parallel;
  FERRY_ASSIGN_OR_RETURN(Probe exact, Probe::Create(p.graph, names, parallel));
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, builder_->Build(forms, Target::kSimulate));
  FERRY_ASSIGN_OR_RETURN(Probe rounded, Probe::Create(std::move(graph), names, parallel));
  std::vector<Distance> distances(names.size());
  std::vector<bool> same(names.size(), true);
  for (size_t s = 0; s < samples_.size(); ++s) {
    builder_->options().Say("measuring", s, samples_.size());
    FERRY_ASSIGN_OR_RETURN(const auto want, exact.Run(samples_[s]));
    FERRY_ASSIGN_OR_RETURN(const auto got, rounded.Run(samples_[s]));
    for (size_t i = 0; i < names.size(); ++i) {
      if (!want[i] || !got[i]) continue;
      distances[i].Add(*want[i], *got[i]);
      if (want[i]->elements() > 0 && got[i]->elements() == want[i]->elements()) {
        same[i] = same[i] && Top(*want[i]) == Top(*got[i]);
      }
    }
  }
  for (size_t i = 0; i < names_.size(); ++i) {
    report.outputs.push_back(
        {names_[i], distances[i].Cosine(), distances[i].SnrDb(), distances[i].Relative(), same[i]});
  }
  for (size_t i = 0; i < units.size(); ++i) {
    const Distance& d = distances[names_.size() + i];
    report.layers[i].measured = true;
    report.layers[i].cosine = d.Cosine();
    report.layers[i].snr_db = d.SnrDb();
  }
  return OkStatus();
}

}  // namespace ferry::quant
