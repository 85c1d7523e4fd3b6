#include <cstring>

#include "device-runtime/engine/model/file.h"
#include "device-runtime/engine/model/state.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::engine {
namespace {

IoInfo InfoOf(const ir::Value& value) {
  IoInfo info{value.name, value.dtype.value_or(DType::kF32), {}, {}, value.dims.has_value()};
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

}  // namespace

Result<Bytes> Compile(ir::Graph graph, const CompileOptions& options) {
  if (!options.name.empty()) graph.name = options.name;
  FERRY_TRY(ir::Verify(graph));
  FERRY_TRY(ops::CheckNodes(graph));
  FERRY_TRY(passes::RunPasses(graph, passes::CompilePasses()));
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
  for (const ir::Value& value : state.graph.values) {
    if (!value.constant) continue;
    state.weight_bytes += value.constant->size_bytes();
    state.parameter_count += value.constant->elements();
  }
  return std::shared_ptr<const Model>(std::move(model));
}

Result<std::shared_ptr<const Model>> Model::FromGraph(ir::Graph graph,
                                                      const CompileOptions& options) {
  FERRY_ASSIGN_OR_RETURN(Bytes file, Compile(std::move(graph), options));
  FERRY_ASSIGN_OR_RETURN(auto copy, AlignedCopy(file));
  return FromBytes({copy->data(), file.size()}, copy);
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
