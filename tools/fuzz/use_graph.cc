#include "tools/fuzz/use_graph.h"

#include "common/base/check.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/ir/text.h"

namespace ferry::fuzz {
namespace {

bool HasLoops(const ir::Graph& graph) {
  const std::string text = ir::Print(graph, {.max_elements = 0});
  return text.find("node Loop") != std::string::npos || text.find("node Scan") != std::string::npos;
}

Result<std::vector<tensor::NamedTensor>> Inputs(
    const engine::Model& model, const std::shared_ptr<tensor::MemoryBudget>& budget) {
  std::vector<tensor::NamedTensor> inputs;
  for (const engine::IoInfo& info : model.inputs()) {
    if (!info.kind.empty()) return Status::Of(Code::kUnsupported, "'{}' is no tensor", info.name);
    std::vector<int64_t> dims = info.dims;
    for (int64_t& dim : dims) dim = dim < 0 ? 1 : dim;
    FERRY_ASSIGN_OR_RETURN(const tensor::Shape shape, tensor::Shape::Make(dims));
    FERRY_ASSIGN_OR_RETURN(auto zeros, tensor::Tensor::Zeros(info.dtype, shape, budget));
    inputs.push_back({info.name, std::move(zeros)});
  }
  return inputs;
}

}  // namespace

void UseGraph(ir::Graph graph) {
  const bool loops = HasLoops(graph);
  auto file = engine::Compile(std::move(graph), {.name = "fuzz"});
  if (!file.ok()) return;
  const auto bytes = std::make_shared<const Bytes>(*std::move(file));
  auto model = engine::Model::FromBytes(*bytes, bytes);
  CHECK(model.ok()) << model.status().ToString();  // what Compile writes, FromBytes reads
  auto budget = std::make_shared<tensor::MemoryBudget>(kRunBytes);
  auto session = engine::Session::Create(*model, {.budget = budget});
  if (!session.ok() || loops) return;
  auto inputs = Inputs(**model, budget);
  if (inputs.ok()) (void)(*session)->Run(*inputs).ok();
}

}  // namespace ferry::fuzz
