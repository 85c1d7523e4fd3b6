#include "device-runtime/engine/prepare/prepare.h"

namespace ferry::engine {
namespace {

struct Dispatch {
  Preparer& p;
  const ir::Step& step;
  using Out = Result<PreparedStep>;
  Out operator()(const ir::ConvPrim& prim) const { return PrepareConv(p, prim, step); }
  Out operator()(const ir::MatMulPrim& prim) const { return PrepareMatMul(p, prim, step); }
  Out operator()(const ir::PoolPrim& prim) const { return PreparePool(p, prim, step); }
  Out operator()(const ir::UnaryPrim& prim) const { return PrepareUnary(p, prim, step); }
  Out operator()(const ir::BinaryPrim& prim) const { return PrepareBinary(p, prim, step); }
  Out operator()(const ir::MapPrim& prim) const { return PrepareMap(p, prim, step); }
  Out operator()(const ir::ReducePrim& prim) const { return PrepareReduce(p, prim, step); }
  Out operator()(const ir::SoftmaxPrim& prim) const { return PrepareSoftmax(p, prim, step); }
  Out operator()(const ir::RasterPrim& prim) const { return PrepareRaster(p, prim, step); }
  Out operator()(const ir::GatherPrim& prim) const { return PrepareGather(p, prim, step); }
  Out operator()(const ir::CallPrim& prim) const { return PrepareCall(p, prim, step); }
};

}  // namespace

Status Preparer::Run() {
  for (const ir::Step& step : program_.steps) {
    auto prepared = std::visit(Dispatch{*this, step}, step.primitive);
    if (!prepared.ok()) return prepared.status().Context("preparing '{}'", step.node);
    steps.push_back(*std::move(prepared));
  }
  return OkStatus();
}

int Preparer::AddWorkspace(size_t floats) {
  if (floats == 0) return -1;
  workspaces.push_back(
      {static_cast<int64_t>(floats * sizeof(float)), static_cast<int>(steps.size())});
  return static_cast<int>(program_.buffers.size() + workspaces.size() - 1);
}

const tensor::Tensor* Preparer::ConstantOf(ir::BufferId id) const {
  const auto& constant = program_.buffers[program_.Root(id)].constant;
  return constant ? &*constant : nullptr;
}

Result<PackedCache::Block> Preparer::Packed(const float* weights, const std::string& how,
                                            size_t floats,
                                            const std::function<void(float*)>& pack) {
  PackedCache& cache = model_.Owns(weights) ? model_.packed : own_;
  return cache.Get(weights, std::string(kernels::IsaName(table().isa)) + " " + how,
                   static_cast<int64_t>(floats * sizeof(float)), pack);
}

}  // namespace ferry::engine
