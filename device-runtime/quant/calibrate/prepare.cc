#include "device-runtime/quant/calibrate/prepare.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/quant/calibrate/calibrate.h"
#include "device-runtime/quant/measure/probe.h"

namespace ferry::quant {
namespace {

using ir::kNoValue;
using ir::ValueId;

constexpr size_t kMostNotes = 20;

// What calibration learns of one value.
struct Watched {
  ValueId id;
  Histogram histogram;
  bool is_float = true;  // a float32 tensor in all runs so far
  bool is_finite = true;
  int channel_axis = 0;      // counted from the end when negative; 0: no means are needed
  std::vector<double> sums;  // by channel
  std::vector<int64_t> counts;

  void Add(const Tensor& tensor);
  void AddMeans(const Tensor& tensor);
};

void Watched::AddMeans(const Tensor& tensor) {
  const tensor::Shape& shape = tensor.shape();
  const int axis = channel_axis < 0 ? shape.rank() + channel_axis : channel_axis;
  if (axis < 0 || axis >= shape.rank()) return;
  const auto channels = static_cast<size_t>(shape[axis]);
  if (sums.empty()) {
    sums.assign(channels, 0.0);
    counts.assign(channels, 0);
  }
  if (sums.size() != channels) return;
  const int64_t inner = shape.Product(axis + 1, shape.rank());
  const auto x = tensor.data<float>();
  for (size_t i = 0; i < x.size();) {
    const size_t channel = i / static_cast<size_t>(inner) % channels;
    for (int64_t k = 0; k < inner; ++k) sums[channel] += x[i++];
    counts[channel] += inner;
  }
}

void Watched::Add(const Tensor& tensor) {
  if (!histogram.Add(tensor.data<float>())) {
    is_finite = false;
    return;
  }
  if (channel_axis != 0) AddMeans(tensor);
}

// The values that units read and make.
std::vector<Watched> WatchedOf(const Prepared& p, const std::vector<Form>& forms, bool with_means) {
  std::vector<int> slot(p.graph.values.size(), -1);
  std::vector<Watched> out;
  const auto watch = [&](ValueId id) -> Watched* {
    if (id == kNoValue || p.graph.IsConstant(id)) return nullptr;
    if (slot[id] < 0) {
      slot[id] = static_cast<int>(out.size());
      out.push_back({.id = id});
    }
    return &out[static_cast<size_t>(slot[id])];
  };
  const std::vector<bool> all(p.graph.values.size(), true);
  const Places places = FindPlaces(p.graph, p.units, forms, all);
  for (size_t id = 0; id < places.value.size(); ++id) {
    if (places.value[id]) watch(static_cast<ValueId>(id));
  }
  for (size_t u = 0; u < p.units.size() && with_means; ++u) {
    const Unit& unit = p.units[u];
    if (unit.kind != Kind::kLayer || unit.weight < 0 || forms[u] == Form::kFloat) continue;
    Watched* value = watch(unit.inputs[0]);
    const std::string& op = p.graph.nodes[static_cast<size_t>(unit.node)].op;
    if (value != nullptr) value->channel_axis = op == "Gemm" || op == "MatMul" ? -1 : 1;
  }
  return out;
}

Status CheckSamples(const ir::Graph& graph, std::span<const Sample> samples) {
  for (size_t s = 0; s < samples.size(); ++s) {
    for (const NamedTensor& input : samples[s]) {
      const bool known = std::ranges::any_of(
          graph.inputs, [&](ValueId id) { return graph.values[id].name == input.name; });
      if (!known) {
        return Status::Of(Code::kInvalidArgument, "sample {}: the model has no input '{}'", s,
                          input.name);
      }
      if (input.tensor.dtype() != DType::kF32) continue;
      const auto x = input.tensor.data<float>();
      if (std::ranges::all_of(x, [](float v) { return std::isfinite(v); })) continue;
      return Status::Of(Code::kInvalidArgument,
                        "sample {}: input '{}' has values that are not finite", s, input.name);
    }
  }
  return OkStatus();
}

Status Watch(const Prepared& p, std::span<const Sample> samples, const Options& options,
             std::vector<Watched>& watched) {
  std::vector<std::string> names;
  for (const Watched& w : watched) names.push_back(p.graph.values[w.id].name);
  FERRY_ASSIGN_OR_RETURN(Probe probe, Probe::Create(p.graph, names, options.parallel));
  for (size_t s = 0; s < samples.size(); ++s) {
    options.Say("calibrating", s, samples.size());
    auto values = probe.Run(samples[s]);
    if (!values.ok()) return values.status().Context("sample {}", s);
    for (size_t i = 0; i < watched.size(); ++i) {
      if ((*values)[i]) {
        watched[i].Add(*(*values)[i]);
      } else {
        watched[i].is_float = false;
      }
    }
  }
  return OkStatus();
}

void Note(Prepared& p, std::string text) {
  if (p.notes.size() < kMostNotes) p.notes.push_back(std::move(text));
  if (p.notes.size() == kMostNotes) p.notes.back() = "...";
}

}  // namespace

Result<ir::Graph> FoldedGraph(ir::Graph graph) {
  FERRY_TRY(ir::Verify(graph));
  for (const ir::Node& node : graph.nodes) {
    if (node.op != "QuantizeLinear" && node.op != "DequantizeLinear" &&
        !node.op.starts_with("QLinear") && node.op != "DynamicQuantizeLinear" &&
        !node.op.ends_with("Integer")) {
      continue;
    }
    return Status::Of(Code::kInvalidArgument, "the model is quantised already: {}",
                      ir::NodeText(node));
  }
  static constexpr passes::GraphPass kPasses[] = {
      {"remove identities", passes::RemoveIdentities},
      {"fold constants", passes::FoldConstants},
      {"fuse batch normalization", passes::FuseBatchNormalization},
      {"simplify bodies", passes::SimplifyBodies},
      {"remove dead nodes", passes::RemoveDead},
  };
  FERRY_TRY(passes::RunPasses(graph, kPasses));
  return graph;
}

Result<Prepared> Prepare(ir::Graph folded, std::span<const Sample> samples,
                         const Options& options) {
  Prepared p;
  p.graph = std::move(folded);
  if (options.equalize) {
    FERRY_ASSIGN_OR_RETURN(const int pairs, Equalize(p.graph));
    if (pairs > 0) p.notes.push_back(fmt::format("equalised {} pairs of convolutions", pairs));
  }
  p.units = FindUnits(p.graph);
  p.affines.resize(p.graph.values.size());
  FERRY_TRY(CheckSamples(p.graph, samples));
  if (samples.empty()) return p;
  FERRY_ASSIGN_OR_RETURN(const std::vector<Form> forms, ChooseForms(p.graph, p.units, options));
  std::vector<Watched> watched = WatchedOf(p, forms, options.correct_bias);
  if (watched.empty()) return p;
  FERRY_TRY(Watch(p, samples, options, watched));
  ValueRanges ranges(p.graph.values.size());
  for (size_t i = 0; i < watched.size(); ++i) {
    options.Say("choosing ranges", i, watched.size());
    const Watched& w = watched[i];
    if (!w.is_float) continue;
    if (!w.is_finite) {
      Note(p, fmt::format("'{}' is not always finite: it stays float", p.graph.values[w.id].name));
      continue;
    }
    const Range range = ChooseRange(w.histogram, options.calibration, options.percentile);
    ranges[w.id] = std::pair(range.low, range.high);
    if (w.sums.empty()) continue;
    std::vector<double>& means = p.means[w.id];
    for (size_t c = 0; c < w.sums.size(); ++c) {
      means.push_back(w.sums[c] / static_cast<double>(std::max<int64_t>(1, w.counts[c])));
    }
  }
  SaturateRanges(p.graph, ranges);
  ShareRanges(p.graph, p.units, ranges);
  for (size_t id = 0; id < ranges.size(); ++id) {
    if (ranges[id])
      p.affines[id] = AffineOf(ranges[id]->first, ranges[id]->second, options.activations);
  }
  return p;
}

}  // namespace ferry::quant
