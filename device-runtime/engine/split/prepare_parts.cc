// Parts of a program on other backends: the first step of a part runs all of it, the others do
// nothing. What the host sees of it has its place in the arena: only the order of the steps says
// what may share memory, so that what a part writes early is never in the way.
#include "device-runtime/backends/cpu/search/search.h"
#include "device-runtime/engine/explain/work.h"
#include "device-runtime/engine/prepare/conv_shape.h"
#include "device-runtime/engine/split/hand_over.h"
#include "device-runtime/engine/split/parts.h"

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

// The model's constants once a model; what a plan's shapes made with the plan.
class PlanUploads final : public backends::Uploads {
 public:
  PlanUploads(const Model::State& model, const Backend& backend)
      : model_(model), backend_(backend) {}

  Result<Memory> Get(const tensor::Tensor& constant, const std::string& form,
                     const std::function<Result<Memory>()>& upload) override {
    UploadCache& cache = model_.ConstantAt(constant.raw()).empty() ? own_ : model_.uploads;
    return cache.Get(backend_, constant, form, upload);
  }

 private:
  const Model::State& model_;
  const Backend& backend_;
  UploadCache own_;
};

Status Prepare(const ir::Program& program, const std::vector<size_t>& last_reads,
               const Model::State& model, const PlanSettings& settings, PartDraft& draft) {
  const Backend& backend = *draft.span.backend;
  ExtractedPart part = Extract(program, last_reads, draft.span.begin, draft.span.end);
  draft.inputs = std::move(part.inputs);
  draft.outputs = std::move(part.outputs);
  PlanUploads uploads(model, backend);
  FERRY_ASSIGN_OR_RETURN(auto prepared,
                         backend.Prepare(std::move(part.program), uploads, settings.backend));
  if (prepared == nullptr) return Status(Code::kInternal, "it prepared nothing");
  draft.running = std::make_shared<RunningPart>(
      backend, std::move(prepared),
      fmt::format("part from '{}'", program.steps[draft.span.begin].node));
  return OkStatus();
}

void FallBack(const ir::Program& program, const PartDraft& draft, ForeignParts& out) {
  const std::string reason =
      fmt::format("backend '{}': {}", draft.span.backend->name(), draft.failed.ToString());
  const size_t count = draft.span.end - draft.span.begin;
  out.fallbacks.push_back(fmt::format("{} step{} from '{}' on the CPU, {}", count,
                                      count == 1 ? "" : "s", program.steps[draft.span.begin].node,
                                      reason));
  for (size_t i = draft.span.begin; i < draft.span.end; ++i) {
    out.reasons[program.steps[i].outputs[0]] = reason;
  }
}

void Take(const ir::Program& program, const PartDraft& draft, std::vector<PreparedStep>& steps) {
  const Backend& backend = *draft.span.backend;
  for (size_t i = draft.span.begin; i < draft.span.end; ++i) {
    steps[i].how = steps[i].backend = backend.name();
    steps[i].predicted_us = backend.StepCost(program, program.steps[i]);
    steps[i].run = [](const RunContext&) { return OkStatus(); };
  }
  steps[draft.span.begin].run = [running = draft.running](const RunContext& c) {
    return running->Run(c);
  };
}

}  // namespace

Placement PlacementFor(const ir::Program& program, const backends::CpuDevice& device,
                       const PlanSettings& settings) {
  if (settings.backends.empty()) return {};
  if (settings.placement.is_random) {
    return RandomPlacement(program, settings.backends, settings.placement.seed);
  }
  std::vector<double> cpu_us;
  for (const ir::Step& step : program.steps) {
    cpu_us.push_back(CpuStepUs(program, step, device, settings));
  }
  return CheapestPlacement(program, cpu_us, settings.backends);
}

ForeignParts PrepareParts(const ir::Program& program, const Placement& placement,
                          const Model::State& model, const PlanSettings& settings) {
  ForeignParts out;
  if (placement.spans.empty()) return out;
  const std::vector<size_t> last_reads = LastReads(program);
  std::vector<PartDraft> drafts;
  for (const BackendSpan& span : placement.spans) {
    PartDraft& draft = drafts.emplace_back();
    draft.span = span;
    draft.failed = Prepare(program, last_reads, model, settings, draft);
  }
  const HandOver hand_over(program, drafts, settings.backend);
  out.only_there = hand_over.only_there();
  out.device_bytes = hand_over.device_bytes();
  out.steps.resize(program.steps.size());
  for (const PartDraft& draft : drafts) {
    if (draft.running == nullptr) {
      FallBack(program, draft, out);
    } else {
      Take(program, draft, out.steps);
      out.any = true;
    }
  }
  return out;
}

}  // namespace ferry::engine
