// Parts of a program on other backends: the first step of a part runs all of it, the others do
// nothing. What is made inside still has its place in the arena: only the order of the steps says
// what may share memory, so that what a part writes early is never in the way.
#include "device-runtime/backends/cpu/search/search.h"
#include "device-runtime/engine/explain/work.h"
#include "device-runtime/engine/prepare/conv_shape.h"
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/engine/split/extract.h"
#include "device-runtime/tensor/alignment.h"

namespace ferry::engine {
namespace {

double CpuStepUs(const ir::Program& program, const ir::Step& step,
                 const backends::CpuDevice& device, const PlanSettings& settings) {
  const int threads = settings.parallel->width();
  const backends::CpuDescription& cpu = device.description();
  const kernels::KernelTable& table = device.table();
  if (const auto* conv = std::get_if<ir::ConvPrim>(&step.primitive)) {
    return backends::SearchConv(table, cpu, ConvShapeOf(*conv), {settings.error_bound, threads})
        .front()
        .cost_us;
  }
  if (const auto* product = std::get_if<ir::MatMulPrim>(&step.primitive)) {
    return static_cast<double>(product->a_offsets.size()) *
           backends::SearchProduct(table, cpu, {product->m, product->n, product->k}, threads)
               .front()
               .cost_us;
  }
  const Work work = WorkOf(program, step);
  return device.PlainCost(ir::PrimitiveName(step.primitive), work.flops, work.bytes);
}

struct RunningPart {
  std::unique_ptr<backends::BackendPart> part;
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

Placement PlacementFor(const ir::Program& program, const backends::CpuDevice& device,
                       const PlanSettings& settings) {
  if (settings.backends.empty()) return {};
  std::vector<double> cpu_us;
  for (const ir::Step& step : program.steps) {
    cpu_us.push_back(CpuStepUs(program, step, device, settings));
  }
  return CheapestPlacement(program, cpu_us, settings.backends);
}

Result<std::vector<PreparedStep>> PrepareParts(const Preparer& p, const Placement& placement) {
  std::vector<PreparedStep> steps;
  if (placement.spans.empty()) return steps;
  steps.resize(p.program().steps.size());
  const std::vector<size_t> last_reads = LastReads(p.program());
  for (const BackendSpan& span : placement.spans) {
    ExtractedPart part = Extract(p.program(), last_reads, span.begin, span.end);
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
