#include "device-runtime/quant/quantize.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/engine/model/file.h"
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/quant/calibrate/prepare.h"
#include "device-runtime/quant/measure/measure.h"
#include "device-runtime/quant/storage.h"

namespace ferry::quant {
namespace {

bool IsNarrow(Type type) {
  return type == Type::kF16 || type == Type::kBF16;
}

Status CheckOptions(const Options& options, size_t samples) {
  const auto bad = [](const char* what) { return Status(Code::kInvalidArgument, what); };
  if (options.activations != DType::kU8 && options.activations != DType::kI8) {
    return bad("activations are u8 or i8");
  }
  if (!(options.percentile > 50 && options.percentile <= 100)) {
    return bad("the percentile lies above 50 and is at most 100");
  }
  if (options.block < 0 || options.block == 1 || options.block > kMaxBlock) {
    return bad("a block has 2 to 65536 weights, or 0: no blocks");
  }
  if (options.keep_first < 0 || options.keep_last < 0) return bad("counts of layers to keep");
  if (!(options.max_error >= 0)) return bad("the bound on the error is negative");
  if (options.type == Type::kInt8 && samples == 0) {
    return bad("int8 needs calibration data: the ranges of activations come from it");
  }
  if (samples == 0 && (options.max_error > 0 || options.sensitivity)) {
    return bad("measuring errors needs calibration data");
  }
  return OkStatus();
}

Result<int64_t> FileSize(const ir::Graph& graph) {
  FERRY_ASSIGN_OR_RETURN(const auto writer, engine::ModelFileWriter::Plan(graph));
  return static_cast<int64_t>(writer.size());
}

// Layers and tables with weights, and products of activations.
std::vector<size_t> Reported(const Prepared& p) {
  std::vector<size_t> out;
  for (size_t u = 0; u < p.units.size(); ++u) {
    if (p.units[u].kind != Kind::kCheap) out.push_back(u);
  }
  return out;
}

Status FillLayers(Builder& builder, const std::vector<Form>& forms,
                  const std::vector<size_t>& reported, const std::vector<double>& alone,
                  Report& report) {
  const Prepared& p = builder.prepared();
  std::vector<bool> possible;
  for (const auto& affine : p.affines) possible.push_back(affine.has_value());
  const Places places = FindPlaces(p.graph, p.units, forms, possible);
  for (size_t u : reported) {
    const ir::Node& node = p.graph.nodes[static_cast<size_t>(p.units[u].node)];
    LayerReport layer;
    layer.name = node.name;
    layer.op = node.op;
    const Form form = forms[u] == Form::kInt8 && !places.unit[u] ? Form::kFloat : forms[u];
    layer.form = FormName(form);
    FERRY_ASSIGN_OR_RETURN(layer.float_bytes, builder.WeightBytes(u, Form::kFloat));
    FERRY_ASSIGN_OR_RETURN(layer.bytes, builder.WeightBytes(u, form));
    layer.alone = alone[u];
    report.layers.push_back(std::move(layer));
  }
  return OkStatus();
}

// Layers whose weights cannot be rounded stay float.
void KeepBroken(Builder& builder, std::vector<Form>& forms, Report& report) {
  const Prepared& p = builder.prepared();
  for (size_t u = 0; u < forms.size(); ++u) {
    builder.options().Say("rounding weights", u, forms.size());
    if (forms[u] == Form::kFloat) continue;
    const auto bytes = builder.WeightBytes(u, forms[u]);
    if (bytes.ok()) continue;
    report.notes.push_back(bytes.status().message() + ": stays float");
    forms[u] = Form::kFloat;
  }
  (void)p;
}

Result<Quantized> Narrow(ir::Graph graph, const Options& options) {
  Quantized out;
  FERRY_ASSIGN_OR_RETURN(out.report.float_bytes, FileSize(graph));
  const DType dtype = options.type == Type::kF16 ? DType::kF16 : DType::kBF16;
  FERRY_ASSIGN_OR_RETURN(const int changed, StoreNarrow(graph, dtype));
  out.report.notes.push_back(fmt::format("{} constants stored as {}", changed, DTypeName(dtype)));
  FERRY_ASSIGN_OR_RETURN(out.report.bytes, FileSize(graph));
  out.graph = std::move(graph);
  return out;
}

}  // namespace

Result<Quantized> Quantize(ir::Graph graph, std::span<const Sample> samples,
                           const Options& options) {
  FERRY_TRY(CheckOptions(options, samples.size()));
  FERRY_ASSIGN_OR_RETURN(ir::Graph folded, FoldedGraph(std::move(graph)));
  if (IsNarrow(options.type)) return Narrow(std::move(folded), options);
  Quantized out;
  FERRY_ASSIGN_OR_RETURN(out.report.float_bytes, FileSize(folded));
  FERRY_ASSIGN_OR_RETURN(const Prepared prepared, Prepare(std::move(folded), samples, options));
  out.report.notes = prepared.notes;
  FERRY_ASSIGN_OR_RETURN(std::vector<Form> forms,
                         ChooseForms(prepared.graph, prepared.units, options));
  Builder builder(prepared, options);
  KeepBroken(builder, forms, out.report);
  if (std::ranges::all_of(forms, [](Form form) { return form == Form::kFloat; })) {
    out.report.notes.emplace_back("the model has no layer to quantise");
  }
  const std::vector<size_t> reported = Reported(prepared);
  std::vector<double> alone(forms.size(), -1.0);
  const auto some = samples.first(
      std::min(samples.size(), static_cast<size_t>(std::max(1, options.measured_samples))));
  std::optional<Measure> measure;
  if (!some.empty()) {
    FERRY_ASSIGN_OR_RETURN(measure, Measure::Create(builder, some));
    if (options.sensitivity) {
      FERRY_ASSIGN_OR_RETURN(alone, AloneErrors(builder, *measure, forms));
    }
    if (options.max_error > 0) {
      FERRY_ASSIGN_OR_RETURN(forms, HoldBound(builder, *measure, std::move(forms), alone));
    }
  }
  FERRY_TRY(FillLayers(builder, forms, reported, alone, out.report));
  if (measure) {
    FERRY_TRY(measure->Fill(forms, reported, out.report));
    out.report.evaluations = measure->evaluations();
  }
  FERRY_ASSIGN_OR_RETURN(out.graph, builder.Build(forms, Target::kQdq));
  FERRY_TRY(passes::RemoveDead(out.graph));
  FERRY_ASSIGN_OR_RETURN(out.report.bytes, FileSize(out.graph));
  return out;
}

}  // namespace ferry::quant
