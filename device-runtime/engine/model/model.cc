#include <cstring>
#include <set>

#include "device-runtime/engine/model/file.h"
#include "device-runtime/engine/model/state.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/passes/graph_pass.h"
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
  return passes::RunPasses(graph, passes::CompilePasses());
}

// The constants of a graph and its bodies; those that share bytes count once.
void CountWeights(const ir::Graph& graph, std::set<const uint8_t*>& counted, int64_t& bytes,
                  int64_t& elements) {
  for (const ir::Value& value : graph.values) {
    if (!value.constant || value.constant->elements() == 0 ||
        !counted.insert(value.constant->raw()).second) {
      continue;
    }
    bytes += tensor::FileBytes(value.constant->dtype(), value.constant->elements());
    elements += value.constant->elements();
  }
  for (const ir::Node& node : graph.nodes) {
    for (const auto& [key, attribute] : node.attributes) {
      const auto* body = std::get_if<ir::Subgraph>(&attribute);
      if (body != nullptr) CountWeights(**body, counted, bytes, elements);
    }
  }
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
  State& state = *model->state_;
  FERRY_ASSIGN_OR_RETURN(state.graph, ReadModelFile(bytes, keep_alive));
  state.file = bytes;
  state.keep_alive = std::move(keep_alive);
  for (ir::ValueId id : state.graph.inputs) state.inputs.push_back(InfoOf(state.graph.values[id]));
  for (ir::ValueId id : state.graph.outputs)
    state.outputs.push_back(InfoOf(state.graph.values[id]));
  std::set<const uint8_t*> counted;
  CountWeights(state.graph, counted, state.weight_bytes, state.parameter_count);
  return std::shared_ptr<const Model>(std::move(model));
}

Result<std::shared_ptr<const Model>> Model::FromGraph(ir::Graph graph,
                                                      const CompileOptions& options) {
  FERRY_TRY(Optimize(graph, options));
  FERRY_ASSIGN_OR_RETURN(ModelFileWriter writer, ModelFileWriter::Plan(graph));
  FERRY_ASSIGN_OR_RETURN(tensor::Buffer buffer,
                         tensor::Buffer::Allocate(static_cast<int64_t>(writer.size())));
  writer.Write(buffer.data());
  auto file = std::make_shared<const tensor::Buffer>(std::move(buffer));
  return FromBytes({file->data(), static_cast<size_t>(file->size())}, file);
}

Status Model::VerifyWeights() const {
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
