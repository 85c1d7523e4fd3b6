#include <cstring>
#include <map>

#include "common/sys/pages.h"
#include "device-runtime/engine/model/file.h"
#include "device-runtime/engine/model/state.h"
#include "device-runtime/engine/run/kernel_folder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/tensor/alignment.h"
#include "device-runtime/tensor/packing.h"

namespace ferry::engine {
namespace {

IoInfo InfoOf(const ir::Value& value) {
  static constexpr std::string_view kKinds[] = {"", "sequence", "optional", "optional sequence"};
  IoInfo info{value.name,
              value.dtype.value_or(DType::kF32),
              {},
              {},
              value.dims.has_value(),
              std::string(kKinds[static_cast<size_t>(value.kind)])};
  if (!value.dims) return info;
  for (const ir::Dim& dim : *value.dims) {
    info.dims.push_back(dim.extent);
    info.symbols.push_back(dim.symbol);
  }
  return info;
}

// A copy of `bytes` in aligned memory.
Result<std::shared_ptr<const tensor::Buffer>> AlignedCopy(ByteView bytes) {
  FERRY_ASSIGN_OR_RETURN(tensor::Buffer buffer,
                         tensor::Buffer::Allocate(static_cast<int64_t>(bytes.size())));
  if (!bytes.empty()) std::memcpy(buffer.data(), bytes.data(), bytes.size());
  return std::shared_ptr<const tensor::Buffer>(
      std::make_shared<const tensor::Buffer>(std::move(buffer)));
}

Status Optimize(ir::Graph& graph, const CompileOptions& options) {
  if (!options.name.empty()) graph.name = options.name;
  FERRY_TRY(ir::Verify(graph));
  FERRY_TRY(ops::CheckNodes(graph));
  FERRY_ASSIGN_OR_RETURN(const auto device, backends::CpuDevice::Create());
  const KernelFolder folder(*device);
  const passes::FoldScope fold(&folder);
  return passes::RunPasses(graph, passes::CompilePasses());
}

// The constants of a graph and its bodies; those that share bytes count once.
void CountWeights(const ir::Graph& graph, std::map<const uint8_t*, size_t>& constants,
                  int64_t& bytes, int64_t& elements) {
  for (const ir::Value& value : graph.values) {
    if (!value.constant || value.constant->elements() == 0) continue;
    const auto size = static_cast<size_t>(value.constant->size_bytes());
    if (!constants.try_emplace(value.constant->raw(), size).second) continue;
    bytes += tensor::FileBytes(value.constant->dtype(), value.constant->elements());
    elements += value.constant->elements();
  }
  for (const ir::Node& node : graph.nodes) {
    for (const auto& [key, attribute] : node.attributes) {
      const auto* body = std::get_if<ir::Subgraph>(&attribute);
      if (body != nullptr) CountWeights(**body, constants, bytes, elements);
    }
  }
}

// What a model says of its graph.
void Describe(Model::State& state) {
  const ir::Graph& graph = state.graph;
  for (ir::ValueId id : graph.inputs) state.inputs.push_back(InfoOf(graph.values[id]));
  for (ir::ValueId id : graph.outputs) state.outputs.push_back(InfoOf(graph.values[id]));
  CountWeights(graph, state.constants, state.weight_bytes, state.parameter_count);
  state.packed.Expect(state.weight_bytes);
}

// Which constants may stay where they lie even if their type cannot be read there: f32 that is only
// packed, as a whole, which happens once.
std::vector<bool> OnlyPacked(const ir::Graph& graph) {
  std::vector<bool> only(graph.values.size());
  for (size_t id = 0; id < only.size(); ++id) {
    const auto& constant = graph.values[id].constant;
    only[id] = constant && constant->dtype() == DType::kF32;
  }
  for (const ir::Node& node : graph.nodes) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ir::ValueId id = node.inputs[i];
      if (id == ir::kNoValue || !only[id]) continue;
      const bool is_matrix = graph.values[id].constant->shape().rank() == 2;
      only[id] = i == 1 &&
                 (node.op == "Conv" || (is_matrix && (node.op == "MatMul" || node.op == "Gemm")));
    }
  }
  for (ir::ValueId id : graph.outputs) {
    if (id != ir::kNoValue) only[id] = false;
  }
  return only;
}

// Constants that nobody keeps alive are copied, and those that lie where their type cannot be read.
Status OwnConstants(ir::Graph& graph, bool is_body = false) {
  const std::vector<bool> stays =
      is_body ? std::vector<bool>(graph.values.size(), false) : OnlyPacked(graph);
  for (size_t id = 0; id < stays.size(); ++id) {
    auto& constant = graph.values[id].constant;
    if (!constant) continue;
    if (constant->is_owned() && (stays[id] || tensor::IsAligned(*constant))) continue;
    const Tensor before = *constant;
    FERRY_ASSIGN_OR_RETURN(constant, before.Clone());
    sys::ReleaseMapped(before.bytes());
  }
  for (ir::Node& node : graph.nodes) {
    for (auto& [key, attribute] : node.attributes) {
      auto* body = std::get_if<ir::Subgraph>(&attribute);
      if (body == nullptr) continue;
      ir::Graph own = **body;
      FERRY_TRY(OwnConstants(own, true));
      *body = std::make_shared<const ir::Graph>(std::move(own));
    }
  }
  return OkStatus();
}

}  // namespace

Result<Bytes> Compile(ir::Graph graph, const CompileOptions& options) {
  FERRY_TRY(Optimize(graph, options));
  return WriteModelFile(graph);
}

Model::Model() : state_(std::make_unique<State>()) {}
Model::~Model() = default;

Result<std::shared_ptr<const Model>> Model::FromBytes(ByteView bytes,
                                                      std::shared_ptr<const void> keep_alive) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 64 != 0) {
    FERRY_ASSIGN_OR_RETURN(auto copy, AlignedCopy(bytes));
    bytes = {copy->data(), bytes.size()};
    keep_alive = std::move(copy);
  }
  std::shared_ptr<Model> model(new Model());
  FERRY_ASSIGN_OR_RETURN(model->state_->graph, ReadModelFile(bytes, keep_alive));
  model->state_->file = bytes;
  model->state_->keep_alive = std::move(keep_alive);
  Describe(*model->state_);
  return std::shared_ptr<const Model>(std::move(model));
}

Result<std::shared_ptr<const Model>> Model::FromGraph(ir::Graph graph,
                                                      const CompileOptions& options) {
  FERRY_TRY(Optimize(graph, options));
  FERRY_TRY(OwnConstants(graph));
  std::shared_ptr<Model> model(new Model());
  model->state_->graph = std::move(graph);
  Describe(*model->state_);
  return std::shared_ptr<const Model>(std::move(model));
}

Status Model::VerifyWeights() const {
  if (state_->file.empty()) return OkStatus();  // the graph's own, never a file's
  return engine::VerifyWeights(state_->file);
}

const std::string& Model::name() const {
  return state_->graph.name;
}
std::span<const IoInfo> Model::inputs() const {
  return state_->inputs;
}
std::span<const IoInfo> Model::outputs() const {
  return state_->outputs;
}
int64_t Model::weight_bytes() const {
  return state_->weight_bytes;
}
int64_t Model::parameter_count() const {
  return state_->parameter_count;
}
const ir::Graph& Model::graph() const {
  return state_->graph;
}

}  // namespace ferry::engine
