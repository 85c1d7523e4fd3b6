// Parts of a program on other backends: the first step of a part runs all of it, the others do
// nothing. What is made inside still has its place in the arena: only the order of the steps says
// what may share memory, so that what a part writes early is never in the way.
#include "device-runtime/backends/cpu/search/search.h"
#include "device-runtime/engine/explain/work.h"
#include "device-runtime/engine/prepare/conv_shape.h"
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/engine/split/partition.h"
#include "device-runtime/tensor/alignment.h"

namespace ferry::engine {
namespace {

double CpuStepUs(const Preparer& p, const ir::Step& step) {
  const auto& settings = p.settings();
  const int threads = settings.parallel->width();
  const backends::CpuDescription& cpu = p.device().description();
  if (const auto* conv = std::get_if<ir::ConvPrim>(&step.primitive)) {
    return backends::SearchConv(p.table(), cpu, ConvShapeOf(*conv), {settings.error_bound, threads})
        .front()
        .cost_us;
  }
  if (const auto* product = std::get_if<ir::MatMulPrim>(&step.primitive)) {
    return static_cast<double>(product->a_offsets.size()) *
           backends::SearchProduct(p.table(), cpu, {product->m, product->n, product->k}, threads)
               .front()
               .cost_us;
  }
  const Work work = WorkOf(p.program(), step);
  return p.device().PlainCost(ir::PrimitiveName(step.primitive), work.flops, work.bytes);
}

struct RunningPart {
  std::unique_ptr<BackendPart> part;
  std::vector<ir::BufferId> inputs, outputs;
  std::vector<const uint8_t*> from;  // room, as a run allocates nothing
  std::vector<uint8_t*> to;

  Status Run(const RunContext& c) {
    for (size_t i = 0; i < inputs.size(); ++i) from[i] = c.at[inputs[i]];
    for (size_t i = 0; i < outputs.size(); ++i) to[i] = c.at[outputs[i]];
    return part->Run(from, to);
  }
};

}  // namespace

Result<std::vector<PreparedStep>> PrepareParts(const Preparer& p) {
  std::vector<PreparedStep> steps;
  if (p.settings().backends.empty()) return steps;
  std::vector<double> cpu_us;
  for (const ir::Step& step : p.program().steps) cpu_us.push_back(CpuStepUs(p, step));
  const Partition partition = CheapestPartition(p.program(), cpu_us, p.settings().backends);
  if (partition.spans.empty()) return steps;
  steps.resize(p.program().steps.size());
  for (const BackendSpan& span : partition.spans) {
    ExtractedPart part = Extract(p.program(), span);
    auto running = std::make_shared<RunningPart>();
    running->inputs = std::move(part.inputs);
    running->outputs = std::move(part.outputs);
    running->from.resize(running->inputs.size());
    running->to.resize(running->outputs.size());
    for (ir::BufferInfo& buffer : part.program.buffers) {
      if (!buffer.constant) continue;
      FERRY_ASSIGN_OR_RETURN(buffer.constant, tensor::Aligned(*buffer.constant));
    }
    auto prepared = span.backend->Prepare(std::move(part.program));
    if (!prepared.ok()) return prepared.status().Context("backend '{}'", span.backend->name());
    running->part = *std::move(prepared);
    for (size_t i = span.begin; i < span.end; ++i) {
      steps[i].backend = span.backend->name();
      steps[i].predicted_us = span.backend->StepCost(p.program(), p.program().steps[i]);
      steps[i].how = span.backend->name();
      steps[i].run = [](const RunContext&) { return OkStatus(); };
    }
    steps[span.begin].run = [running](const RunContext& c) { return running->Run(c); };
  }
  return steps;
}

}  // namespace ferry::engine
