#include "device-runtime/engine/run/runner.h"

#include <algorithm>
#include <cstring>

#include "device-runtime/engine/run/eager.h"
#include "device-runtime/engine/run/kernel_folder.h"
#include "device-runtime/ops/op.h"

namespace ferry::engine {

using ir::kNoValue;
using ir::ValueId;
using passes::KnownValues;
using tensor::Value;

namespace {

bool SameElements(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() != DType::kString) {
    return a.size_bytes() == 0 || std::memcmp(a.raw(), b.raw(), a.bytes().size()) == 0;
  }
  for (int64_t i = 0; i < a.elements(); ++i) {
    if (a.Text(i) != b.Text(i)) return false;
  }
  return true;
}

bool HasBodies(const ir::Node& node) {
  return std::ranges::any_of(node.attributes, [](const auto& attribute) {
    return std::holds_alternative<ir::Subgraph>(attribute.second);
  });
}

}  // namespace

struct GraphRunner::PlannedPart {
  struct Key {
    ValueId id;
    DType dtype;
    Shape shape;
  };
  std::vector<Key> typed;                          // what the plan was made for
  std::vector<std::pair<ValueId, Tensor>> pinned;  // elements that it was made for
  passes::Part part;                               // its graph is gone
  std::unique_ptr<Plan> plan;                      // null: an empty part
  int users = 0;                                   // present runs with values in its arena
  int64_t last_use = 0;

  int64_t kept_bytes() const { return plan != nullptr ? plan->kept_bytes : 0; }
};

// One run of one graph.
class GraphRunner::GraphRun {
 public:
  GraphRun(GraphRunner& runner, const ir::Graph& graph)
      : runner_(runner), graph_(graph), values_(graph.values.size()), uses_(graph.UseCounts()) {}
  ~GraphRun() {
    for (PlannedPart* part : used_) --part->users;
  }
  GraphRun(const GraphRun&) = delete;
  GraphRun& operator=(const GraphRun&) = delete;

  Result<std::vector<Value>> Run(std::vector<Value> inputs) {
    if (inputs.size() != graph_.inputs.size()) {
      return Status::Of(Code::kInvalidArgument, "{} inputs for {}", inputs.size(),
                        graph_.inputs.size());
    }
    for (size_t id = 0; id < values_.size(); ++id) {
      if (graph_.values[id].constant) values_[id] = Value(*graph_.values[id].constant);
    }
    for (size_t i = 0; i < inputs.size(); ++i) values_[graph_.inputs[i]] = std::move(inputs[i]);
    size_t at = 0;
    while (at < graph_.nodes.size()) FERRY_TRY(Advance(at));
    std::vector<Value> outputs;
    for (ValueId id : graph_.outputs) outputs.push_back(values_[id]);
    return outputs;
  }

 private:
  // Runs what begins at node `at`, and moves `at` behind it.
  Status Advance(size_t& at) {
    Place& place = runner_.places_[{&graph_, at}];
    FERRY_ASSIGN_OR_RETURN(PlannedPart * part, Find(place, at));
    if (part->part.end == at) {
      FERRY_TRY(Eager(at));
      ++at;
      return OkStatus();
    }
    FERRY_TRY(RunPart(*part));
    for (; at < part->part.end; ++at) Release(graph_.nodes[at]);
    return OkStatus();
  }

  bool Fits(const PlannedPart& part) const {
    for (const auto& key : part.typed) {
      const Value& value = values_[key.id];
      if (!value.IsTensor() || value.tensor().dtype() != key.dtype ||
          value.tensor().shape() != key.shape) {
        return false;
      }
    }
    return std::ranges::all_of(part.pinned, [&](const auto& pin) {
      const Value& value = values_[pin.first];
      return value.IsTensor() && SameElements(value.tensor(), pin.second);
    });
  }

  // A plan for the part at `at`, made if need be.
  Result<PlannedPart*> Find(Place& place, size_t at) {
    for (size_t i = place.parts.size(); i-- > 0;) {
      if (!Fits(*place.parts[i])) continue;
      auto* const found = place.parts.data() + i;
      std::rotate(found, found + 1, place.parts.data() + place.parts.size());
      return place.parts.back().get();
    }
    FERRY_ASSIGN_OR_RETURN(auto made, Make(place, at));
    return runner_.Keep(place, std::move(made));
  }

  Result<std::unique_ptr<PlannedPart>> Make(Place& place, size_t at) {
    KnownValues known(values_.size());
    for (size_t id = 0; id < values_.size(); ++id) {
      if (!values_[id].IsTensor() || graph_.values[id].constant) continue;
      known[id] = {values_[id].tensor().dtype(), values_[id].tensor().shape(), std::nullopt};
    }
    auto made = std::make_unique<PlannedPart>();
    const KernelFolder folder(runner_.device_);
    const passes::FoldScope fold(&folder);
    while (true) {
      FERRY_ASSIGN_OR_RETURN(made->part, passes::SpecializePart(graph_, at, known));
      const ValueId needed = made->part.needed;
      if (made->part.end > at || needed == kNoValue || !known[needed] || known[needed]->constant) {
        break;
      }
      FERRY_ASSIGN_OR_RETURN(Tensor pin, values_[needed].tensor().Clone());
      known[needed]->constant = pin;
      made->pinned.emplace_back(needed, std::move(pin));
    }
    if (made->part.end == at) return made;
    for (ValueId id : made->part.inputs) {
      made->typed.push_back({id, known[id]->dtype, known[id]->shape});
    }
    FERRY_ASSIGN_OR_RETURN(made->plan, PlanOf(place, made->part.graph));
    made->part.graph = ir::Graph();
    return made;
  }

  // Arenas of other places make room when memory runs out.
  Result<std::unique_ptr<Plan>> PlanOf(Place& place, const ir::Graph& graph) {
    if (place.arena == nullptr) place.arena = std::make_shared<Arena>(runner_.budget_);
    const std::shared_ptr<Arena> arena = place.arena;
    auto plan = MakePlan(graph, runner_.model_, runner_.device_, arena, runner_.settings_);
    if (plan.code() != Code::kOutOfMemory || !runner_.DropIdlePlans()) return plan;
    place.arena = arena;
    return MakePlan(graph, runner_.model_, runner_.device_, arena, runner_.settings_);
  }

  Status RunPart(PlannedPart& part) {
    ++part.users;
    used_.push_back(&part);
    part.last_use = ++runner_.uses_;
    const Status moved = MoveToArena(*part.plan);
    if (moved.code() != Code::kOutOfMemory) {
      FERRY_TRY(moved);
    } else if (runner_.DropIdlePlans()) {
      FERRY_TRY(MoveToArena(*part.plan));
    } else {
      return moved;
    }
    std::vector<const Tensor*> inputs;
    for (ValueId id : part.part.inputs) inputs.push_back(&values_[id].tensor());
    FERRY_TRY(RunPlan(*part.plan, inputs, *runner_.parallel_, strings_));
    for (size_t i = 0; i < part.part.outputs.size(); ++i) {
      values_[part.part.outputs[i]] = Value(OutputOf(part, i));
    }
    return OkStatus();
  }

  // Output `i`; one that is an input by another name shares its elements, as that may go first.
  Tensor OutputOf(const PlannedPart& part, size_t i) const {
    Tensor output = PlanOutput(*part.plan, i);
    const ir::Program& program = part.plan->program;
    const int input = program.buffers[program.Root(program.outputs[i])].input;
    if (input < 0) return output;
    const Tensor& source = values_[part.part.inputs[static_cast<size_t>(input)]].tensor();
    if (!source.is_owned()) return output;
    return Tensor::View(output.dtype(), output.shape(), output.raw(),
                        std::make_shared<Tensor>(source));
  }

  Status Eager(size_t at) {
    const ir::Node& node = graph_.nodes[at];
    std::vector<const Value*> inputs;
    for (ValueId id : node.inputs) inputs.push_back(id == kNoValue ? nullptr : &values_[id]);
    auto outputs = RunNode(node, inputs, runner_, runner_.budget_);
    if (outputs.code() == Code::kOutOfMemory && !HasBodies(node) && runner_.DropIdlePlans()) {
      outputs = RunNode(node, inputs, runner_, runner_.budget_);
    }
    FERRY_TRY(outputs);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoValue) values_[node.outputs[i]] = std::move((*outputs)[i]);
    }
    Release(node);
    return OkStatus();
  }

  // Lets go of values that nobody reads after `node`.
  void Release(const ir::Node& node) {
    for (ValueId id : node.inputs) {
      if (id == kNoValue || --uses_[id] > 0) continue;
      // Strings in arenas may point to its texts.
      if (values_[id].IsTensor() && values_[id].tensor().dtype() == DType::kString) continue;
      values_[id] = Value();
    }
  }

  GraphRunner& runner_;
  const ir::Graph& graph_;
  std::vector<Value> values_;
  std::vector<int> uses_;
  std::vector<PlannedPart*> used_;
  tensor::StringPool strings_;  // texts that its plans made
};

GraphRunner::GraphRunner(const Model::State& model, const backends::CpuDevice& device,
                         std::shared_ptr<tensor::MemoryBudget> budget, const PlanSettings& settings)
    : model_(model), device_(device), budget_(std::move(budget)), settings_(settings) {}
GraphRunner::~GraphRunner() = default;

Result<std::vector<Value>> GraphRunner::Run(std::vector<Value> inputs, sys::Parallel& parallel) {
  parallel_ = &parallel;
  latest_ = std::make_unique<GraphRun>(*this, model_.graph);
  return latest_->Run(std::move(inputs));
}

Result<std::vector<Value>> GraphRunner::RunBody(const ir::Graph& body, std::vector<Value> inputs) {
  GraphRun run(*this, body);
  FERRY_ASSIGN_OR_RETURN(auto outputs, run.Run(std::move(inputs)));
  for (Value& value : outputs) {  // the next run of the body writes where they lie
    FERRY_ASSIGN_OR_RETURN(value, tensor::OwnValue(value, budget_));
  }
  return outputs;
}

GraphRunner::PlannedPart* GraphRunner::Keep(Place& place, std::unique_ptr<PlannedPart> made) {
  if (place.parts.size() >= kMaxPlansPerPlace) {
    const auto idle = std::ranges::find(place.parts, 0, &PlannedPart::users);
    if (idle != place.parts.end()) {
      kept_bytes_ -= (*idle)->kept_bytes();
      place.parts.erase(idle);
    }
  }
  while (kept_bytes_ > 0 && kept_bytes_ + made->kept_bytes() > kMaxKeptPlanBytes) {
    if (!DropOldest()) break;
  }
  kept_bytes_ += made->kept_bytes();
  place.parts.push_back(std::move(made));
  return place.parts.back().get();
}

bool GraphRunner::DropOldest() {
  Place* from = nullptr;
  size_t oldest = 0;
  for (auto& [where, place] : places_) {
    for (size_t i = 0; i < place.parts.size(); ++i) {
      const PlannedPart& part = *place.parts[i];
      if (part.plan == nullptr || part.users > 0) continue;
      if (from == nullptr || part.last_use < from->parts[oldest]->last_use) {
        from = &place;
        oldest = i;
      }
      break;  // the others of the place were used later
    }
  }
  if (from == nullptr) return false;
  kept_bytes_ -= from->parts[oldest]->kept_bytes();
  from->parts.erase(from->parts.begin() + static_cast<std::ptrdiff_t>(oldest));
  return true;
}

bool GraphRunner::DropIdlePlans() {
  size_t dropped = 0;
  for (auto& [where, place] : places_) {
    dropped += std::erase_if(place.parts, [this](const auto& part) {
      const bool is_idle = part->plan != nullptr && part->users == 0;
      if (is_idle) kept_bytes_ -= part->kept_bytes();
      return is_idle;
    });
    // The arena goes with its last plan.
    if (std::ranges::all_of(place.parts, [](const auto& part) { return part->plan == nullptr; })) {
      place.arena.reset();
    }
  }
  return dropped > 0;
}

void GraphRunner::Explain(std::vector<StepReport>& reports) const {
  for (const auto& [place, parts] : places_) {
    for (const auto& part : parts.parts) {
      if (part->plan != nullptr) ExplainPlan(*part->plan, device_, reports);
    }
  }
}

Session::PlanInfo GraphRunner::Info() const {
  Session::PlanInfo info;
  for (const auto& [where, place] : places_) {
    if (place.arena != nullptr) info.arena_bytes += place.arena->size();
    int64_t unshared = 0;
    for (const auto& part : place.parts) {
      if (part->plan == nullptr) continue;
      ++info.plans;
      unshared = std::max(unshared, part->plan->info.unshared_bytes);
      info.steps += part->plan->info.steps;
      const std::vector<std::string>& fallbacks = part->plan->info.fallbacks;
      info.fallbacks.insert(info.fallbacks.end(), fallbacks.begin(), fallbacks.end());
      info.text += fmt::format("part of '{}' from node {}\n", where.first->name, where.second);
      info.text += PlanText(*part->plan);
    }
    info.unshared_bytes += unshared;
  }
  return info;
}

}  // namespace ferry::engine
