#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/plan.h"
#include "device-runtime/engine/run/kernel_folder.h"
#include "device-runtime/engine/run/runner.h"
#include "device-runtime/engine/split/choose.h"
#include "device-runtime/engine/tune/tuner.h"
#include "device-runtime/kernels/isa.h"
#include "device-runtime/ops/random.h"

namespace ferry::engine {

using tensor::Value;

namespace {

// FERRY_ISA wins; then the caller's wish; then the fastest.
Result<std::unique_ptr<backends::CpuDevice>> DeviceFor(const std::string& wish) {
  const char* forced = std::getenv("FERRY_ISA");
  if (wish.empty() || (forced != nullptr && *forced != '\0')) return backends::CpuDevice::Create();
  FERRY_ASSIGN_OR_RETURN(kernels::Isa isa, kernels::IsaFromName(wish.c_str()));
  if (!kernels::IsaRuns(isa)) {
    return Status::Of(Code::kUnsupported, "this processor does not run '{}'", wish);
  }
  return backends::CpuDevice::WithIsa(isa);
}

// Binds inputs by name to `bound`, one for each that the model has.
template <typename Named, typename Item>
Status Bind(std::span<const IoInfo> infos, std::span<const Named> inputs, Item Named::*item,
            std::vector<const Item*>& bound) {
  std::ranges::fill(bound, nullptr);
  for (const Named& input : inputs) {
    const auto at = std::ranges::find(infos, input.name, &IoInfo::name);
    if (at == infos.end()) {
      return Status::Of(Code::kInvalidArgument, "the model has no input '{}'", input.name);
    }
    const Item*& slot = bound[static_cast<size_t>(at - infos.begin())];
    if (slot != nullptr) {
      return Status::Of(Code::kInvalidArgument, "input '{}' is given twice", input.name);
    }
    slot = &(input.*item);
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    if (bound[i] == nullptr) {
      return Status::Of(Code::kInvalidArgument, "input '{}' is missing", infos[i].name);
    }
  }
  return OkStatus();
}

Status CheckType(const IoInfo& info, const Tensor& tensor) {
  if (tensor.dtype() == info.dtype) return OkStatus();
  return Status::Of(Code::kShapeMismatch, "input '{}' must be {}, {} is given", info.name,
                    tensor::DTypeName(info.dtype), tensor.TypeText());
}

}  // namespace

std::vector<std::string> AvailableIsas() {
  std::vector<std::string> names;
  for (kernels::Isa isa : kernels::RunningIsas()) names.emplace_back(kernels::IsaName(isa));
  return names;
}

struct Session::State {
  std::shared_ptr<const Model> model;
  SessionOptions options;
  std::unique_ptr<backends::CpuDevice> device;
  std::unique_ptr<Tuner> tuner;  // null: nothing is measured or looked up
  // Either plans for shapes, the latest used last, of which `plan` is in force (null: none is), or,
  // where types depend on values, a runner of parts.
  struct PlannedShapes {
    std::vector<Shape> shapes;
    std::unique_ptr<Plan> plan;
  };
  std::vector<PlannedShapes> plans;
  Plan* plan = nullptr;
  std::shared_ptr<Arena> arena;  // of all plans
  std::unique_ptr<GraphRunner> runner;
  mutable PlanInfo info;
  tensor::StringPool strings;  // of the latest run of `plan`
  std::vector<Tensor> outputs;
  std::vector<const Tensor*> bound;  // the inputs of the present run, in the model's order

  PlanSettings settings() const {
    return {.error_bound = options.error_bound,
            .parallel = &parallel(),
            .tuner = tuner.get(),
            .backends = options.backends,
            .backend = {options.precision, options.error_bound, options.budget,
                        options.cache_folder, options.cancel},
            .placement = options.placement,
            .time_steps = options.time_steps,
            .cancel = options.cancel};
  }
  bool IsPlannedFor(size_t input, const Shape& shape) const {
    return plans.back().shapes[input] == shape;
  }
  // Puts a plan for these shapes at the end of `plans`, made if need be; false where none can be
  // made, as types depend on values.
  Result<bool> FindPlan(std::span<const Shape> shapes);
  void Keep(PlannedShapes made);
  void StartTuner() {
    const TuningOptions& tuning = options.tuning;
    if (!tuning.measure && tuning.cache_file.empty()) return;
    const std::string where =
        fmt::format("{} t{}", kernels::IsaName(device->table().isa), parallel().width());
    tuner = std::make_unique<Tuner>(tuning, backends::CpuModel(), where, sys::SystemFileSystem());
  }
  sys::Parallel& parallel() const {
    return options.parallel != nullptr ? *options.parallel : sys::SerialParallel();
  }
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

const Model& Session::model() const {
  return *state_->model;
}
std::string Session::isa() const {
  return std::string(kernels::IsaName(state_->device->table().isa));
}
int Session::output_count() const {
  return static_cast<int>(state_->outputs.size());
}
const Tensor& Session::output(int index) const {
  CHECK(index >= 0 && index < output_count());
  return state_->outputs[static_cast<size_t>(index)];
}

const Session::PlanInfo& Session::plan() const {
  static const PlanInfo& none = *new PlanInfo();
  if (state_->plan != nullptr) {
    PlanInfo& info = state_->plan->info;
    if (info.text.empty()) info.text = PlanText(*state_->plan);
    info.plans = static_cast<int>(state_->plans.size());
    return info;
  }
  if (!state_->runner) return none;
  state_->info = state_->runner->Info();
  state_->info.is_static = false;
  return state_->info;
}

std::vector<StepReport> Session::Explain() const {
  std::vector<StepReport> reports;
  if (state_->plan != nullptr) ExplainPlan(*state_->plan, *state_->device, reports);
  if (state_->runner) state_->runner->Explain(reports);
  return reports;
}

Result<std::unique_ptr<Session>> Session::Create(std::shared_ptr<const Model> model,
                                                 SessionOptions options) {
  auto state = std::make_unique<State>();
  FERRY_ASSIGN_OR_RETURN(state->device, DeviceFor(options.isa));
  FERRY_ASSIGN_OR_RETURN(options.backends, ChooseBackends(options.backend_names, options.backends));
  state->options = std::move(options);
  state->arena = std::make_shared<Arena>(state->options.budget);
  state->StartTuner();
  state->outputs.resize(model->outputs().size());
  state->bound.resize(model->inputs().size());
  state->model = std::move(model);
  std::unique_ptr<Session> session(new Session(std::move(state)));
  std::vector<Shape> shapes;
  bool has_free = false;
  for (const IoInfo& input : session->model().inputs()) {
    if (!input.kind.empty()) {  // no plan covers such a model
      session->StartRunner();
      return session;
    }
    if (!input.has_shape) return session;  // the first run tells the rank
    std::vector<int64_t> dims = input.dims;
    has_free = has_free || std::ranges::count(dims, -1) > 0;
    std::ranges::replace(dims, -1, 1);
    FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    shapes.push_back(shape);
  }
  const Status planned = session->Resize(shapes);
  // A model need not work with extents of 1 for what is free: the first run tells the real ones.
  const bool may_fit_later = planned.code() == Code::kShapeMismatch ||
                             planned.code() == Code::kInvalidArgument ||
                             planned.code() == Code::kOutOfRange;
  if (!planned.ok() && !(has_free && may_fit_later)) return planned;
  return session;
}

void Session::StartRunner() {
  State& s = *state_;
  s.plan = nullptr;
  s.plans.clear();
  s.arena = std::make_shared<Arena>(s.options.budget);
  s.runner =
      std::make_unique<GraphRunner>(s.model->state(), *s.device, s.options.budget, s.settings());
}

Result<bool> Session::State::FindPlan(std::span<const Shape> shapes) {
  for (PlannedShapes& kept : plans) {
    if (!std::ranges::equal(kept.shapes, shapes)) continue;
    std::rotate(&kept, &kept + 1, plans.data() + plans.size());
    return true;
  }
  const ir::Graph& graph = model->state().graph;
  FERRY_ASSIGN_OR_RETURN(passes::KnownValues known, passes::KnownInputs(graph, shapes));
  const KernelFolder folder(*device);
  const passes::FoldScope fold(&folder);
  FERRY_ASSIGN_OR_RETURN(passes::Part part, passes::SpecializePart(graph, 0, known));
  if (part.end < graph.nodes.size()) return false;
  auto made = MakePlan(part.graph, model->state(), *device, arena, settings());
  if (made.code() == Code::kOutOfMemory && !plans.empty()) {
    plans.clear();
    made = MakePlan(part.graph, model->state(), *device, arena, settings());
  }
  FERRY_TRY(made.status());
  if (tuner != nullptr) tuner->Save();
  Keep({{shapes.begin(), shapes.end()}, *std::move(made)});
  return true;
}

void Session::State::Keep(PlannedShapes made) {
  plans.push_back(std::move(made));
  int64_t bytes = 0;
  for (const PlannedShapes& kept : plans) bytes += kept.plan->kept_bytes;
  size_t gone = 0;
  while (plans.size() - gone > 1 &&
         (plans.size() - gone > kMaxPlansPerPlace || bytes > kMaxKeptPlanBytes)) {
    bytes -= plans[gone++].plan->kept_bytes;
  }
  plans.erase(plans.begin(), plans.begin() + static_cast<std::ptrdiff_t>(gone));
}

Status Session::Resize(std::span<const Shape> shapes) {
  State& s = *state_;
  s.plan = nullptr;
  std::ranges::fill(s.outputs, Tensor());
  if (s.runner) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const bool is_planned, s.FindPlan(shapes));
  if (!is_planned) {
    StartRunner();
    return OkStatus();
  }
  FERRY_TRY(MoveToArena(*s.plans.back().plan));
  s.plan = s.plans.back().plan.get();
  for (size_t i = 0; i < s.outputs.size(); ++i) s.outputs[i] = PlanOutput(*s.plan, i);
  return OkStatus();
}

Status Session::Execute(std::span<const NamedTensor> inputs) {
  FERRY_TRY(Bind(state_->model->inputs(), inputs, &NamedTensor::tensor, state_->bound));
  return ExecuteBound({});
}

Status Session::Execute(std::span<const Tensor> inputs, std::span<const OutputMemory> outputs) {
  State& s = *state_;
  if (inputs.size() != s.bound.size() || (!outputs.empty() && outputs.size() != s.outputs.size())) {
    return Status::Of(Code::kInvalidArgument,
                      "{} inputs and {} outputs for a model that has {} and {}", inputs.size(),
                      outputs.size(), s.bound.size(), s.outputs.size());
  }
  for (size_t i = 0; i < inputs.size(); ++i) s.bound[i] = &inputs[i];
  return ExecuteBound(outputs);
}

Status Session::ExecuteBound(std::span<const OutputMemory> wanted) {
  State& s = *state_;
  const auto infos = s.model->inputs();
  bool fits = s.plan != nullptr || s.runner != nullptr;
  for (size_t i = 0; i < infos.size(); ++i) {
    FERRY_TRY(CheckType(infos[i], *s.bound[i]));
    fits = fits && (s.runner != nullptr || s.IsPlannedFor(i, s.bound[i]->shape()));
  }
  if (!fits) {
    std::vector<Shape> shapes;
    for (const Tensor* tensor : s.bound) shapes.push_back(tensor->shape());
    FERRY_TRY(Resize(shapes));
  }
  const ops::RandomScope random(s.options.random);
  if (s.runner != nullptr) {
    FERRY_TRY(ExecuteParts());
    return CopyOut(wanted);
  }
  FERRY_TRY(BindOutputs(wanted));
  if (s.strings.bytes() > 0) s.strings = tensor::StringPool();
  FERRY_TRY(RunPlan(*s.plan, s.bound, s.parallel(), s.strings));
  for (size_t i = 0; i < s.outputs.size(); ++i) s.outputs[i] = PlanOutput(*s.plan, i);
  return CopyOut(wanted);
}

Status Session::CheckRoom(size_t i, const Tensor& output, const OutputMemory& wanted) const {
  if (wanted.data == nullptr || wanted.bytes >= output.size_bytes()) return OkStatus();
  return Status::Of(Code::kShapeMismatch, "output '{}' is {}, {} bytes; there is room for {}",
                    model().outputs()[i].name, output.TypeText(), output.size_bytes(),
                    wanted.bytes);
}

Status Session::BindOutputs(std::span<const OutputMemory> wanted) {
  State& s = *state_;
  if (wanted.empty() && !s.plan->is_bound) return OkStatus();
  for (size_t i = 0; i < wanted.size(); ++i)
    FERRY_TRY(CheckRoom(i, PlanOutput(*s.plan, i), wanted[i]));
  for (size_t i = 0; i < s.outputs.size(); ++i)
    BindOutput(*s.plan, i, wanted.empty() ? nullptr : wanted[i].data);
  s.plan->is_bound = !wanted.empty();
  return OkStatus();
}

Status Session::CopyOut(std::span<const OutputMemory> wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    Tensor& output = state_->outputs[i];
    if (wanted[i].data == nullptr || output.raw() == wanted[i].data) continue;
    FERRY_TRY(CheckRoom(i, output, wanted[i]));
    if (output.dtype() == DType::kString) {
      return Status::Of(Code::kUnsupported, "output '{}' is of texts, which stay the session's",
                        model().outputs()[i].name);
    }
    if (output.size_bytes() > 0)
      std::memcpy(wanted[i].data, output.raw(), static_cast<size_t>(output.size_bytes()));
    output = Tensor::View(output.dtype(), output.shape(), wanted[i].data);
  }
  return OkStatus();
}

Status Session::ExecuteParts() {
  State& s = *state_;
  const ir::Graph& graph = s.model->state().graph;
  std::vector<Shape> shapes;
  std::vector<Value> values;
  for (const Tensor* tensor : s.bound) {
    shapes.push_back(tensor->shape());
    values.emplace_back(*tensor);
  }
  FERRY_TRY(passes::KnownInputs(graph, shapes).status());  // checks them
  FERRY_ASSIGN_OR_RETURN(auto results, s.runner->Run(std::move(values), s.parallel()));
  if (s.tuner != nullptr) s.tuner->Save();
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].IsTensor()) {
      return Status::Of(Code::kShapeMismatch, "output '{}' is {}, not a tensor",
                        s.model->outputs()[i].name, results[i].TypeText());
    }
    s.outputs[i] = results[i].tensor();
  }
  return OkStatus();
}

Result<std::vector<NamedTensor>> Session::Run(std::span<const NamedTensor> inputs) {
  FERRY_TRY(Execute(inputs));
  std::vector<NamedTensor> outputs;
  for (size_t i = 0; i < state_->outputs.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(Tensor copy, state_->outputs[i].Clone(state_->options.budget));
    outputs.push_back({model().outputs()[i].name, std::move(copy)});
  }
  return outputs;
}

Result<std::vector<NamedValue>> Session::RunValues(std::span<const NamedValue> inputs) {
  State& s = *state_;
  const auto infos = s.model->inputs();
  std::vector<const Value*> bound(infos.size());
  FERRY_TRY(Bind(infos, inputs, &NamedValue::value, bound));
  std::vector<Value> values;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (bound[i]->IsTensor()) FERRY_TRY(CheckType(infos[i], bound[i]->tensor()));
    values.push_back(*bound[i]);
  }
  if (s.runner == nullptr) StartRunner();
  const ops::RandomScope random(s.options.random);
  FERRY_ASSIGN_OR_RETURN(auto results, s.runner->Run(std::move(values), s.parallel()));
  std::vector<NamedValue> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(Value copy, CloneValue(results[i], s.options.budget));
    outputs.push_back({s.model->outputs()[i].name, std::move(copy)});
  }
  return outputs;
}

}  // namespace ferry::engine
