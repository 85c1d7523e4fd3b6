#include <algorithm>
#include <cstdlib>

#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/plan.h"
#include "device-runtime/kernels/isa.h"

namespace ferry::engine {
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
  std::unique_ptr<Plan> plan;
  std::vector<Tensor> outputs;
  std::vector<const Tensor*> bound;  // the inputs of the present run, in the model's order
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

const Model& Session::model() const {
  return *state_->model;
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
  return state_->plan ? state_->plan->info : none;
}

Result<std::unique_ptr<Session>> Session::Create(std::shared_ptr<const Model> model,
                                                 SessionOptions options) {
  auto state = std::make_unique<State>();
  FERRY_ASSIGN_OR_RETURN(state->device, DeviceFor(options.isa));
  state->options = std::move(options);
  state->outputs.resize(model->outputs().size());
  state->bound.resize(model->inputs().size());
  state->model = std::move(model);
  std::unique_ptr<Session> session(new Session(std::move(state)));
  std::vector<Shape> shapes;
  bool has_free = false;
  for (const IoInfo& input : session->model().inputs()) {
    std::vector<int64_t> dims = input.dims;
    has_free = has_free || std::ranges::count(dims, -1) > 0;
    std::ranges::replace(dims, -1, 1);
    FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    shapes.push_back(shape);
  }
  const Status planned = session->Resize(shapes);
  // A model need not work with extents of 1 for what is free: the first run tells the real ones.
  if (!planned.ok() && !(has_free && planned.code() == Code::kShapeMismatch)) return planned;
  return session;
}

Status Session::Resize(std::span<const Shape> shapes) {
  State& s = *state_;
  s.plan.reset();  // its arena goes first: two would need twice the memory
  FERRY_ASSIGN_OR_RETURN(s.plan, MakePlan(s.model->state(), *s.device, shapes, s.options.budget));
  return OkStatus();
}

Status Session::Execute(std::span<const NamedTensor> inputs) {
  State& s = *state_;
  const auto infos = s.model->inputs();
  std::ranges::fill(s.bound, nullptr);
  for (const NamedTensor& input : inputs) {
    const auto at = std::ranges::find(infos, input.name, &IoInfo::name);
    if (at == infos.end()) {
      return Status::Of(Code::kInvalidArgument, "the model has no input '{}'", input.name);
    }
    const Tensor*& slot = s.bound[static_cast<size_t>(at - infos.begin())];
    if (slot != nullptr) {
      return Status::Of(Code::kInvalidArgument, "input '{}' is given twice", input.name);
    }
    if (input.tensor.dtype() != at->dtype) {
      return Status::Of(Code::kShapeMismatch, "input '{}' must be {}, {} is given", input.name,
                        tensor::DTypeName(at->dtype), input.tensor.TypeText());
    }
    slot = &input.tensor;
  }
  bool fits = s.plan != nullptr;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (s.bound[i] == nullptr) {
      return Status::Of(Code::kInvalidArgument, "input '{}' is missing", infos[i].name);
    }
    fits = fits && s.plan->input_shapes[i] == s.bound[i]->shape();
  }
  if (!fits) {
    std::vector<Shape> shapes;
    for (const Tensor* tensor : s.bound) shapes.push_back(tensor->shape());
    FERRY_TRY(Resize(shapes));
  }
  Plan& plan = *s.plan;
  for (const auto& [slot, input] : plan.input_slots) {
    plan.addresses[static_cast<size_t>(slot)] =
        const_cast<uint8_t*>(s.bound[static_cast<size_t>(input)]->raw());  // only read
  }
  sys::Parallel& parallel =
      s.options.parallel != nullptr ? *s.options.parallel : sys::SerialParallel();
  const RunContext context = {plan.addresses.data(), parallel};
  for (const PreparedStep& step : plan.steps) FERRY_TRY(step.run(context));
  for (size_t i = 0; i < s.outputs.size(); ++i) {
    const ir::BufferId id = plan.program.outputs[i];
    const ir::BufferInfo& buffer = plan.program.buffers[id];
    s.outputs[i] =
        Tensor::View(buffer.dtype, buffer.shape, plan.addresses[static_cast<size_t>(id)]);
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

}  // namespace ferry::engine
