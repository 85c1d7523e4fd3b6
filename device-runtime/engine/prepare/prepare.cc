#include "device-runtime/engine/prepare/prepare.h"

#include "common/sys/pages.h"

namespace ferry::engine {
namespace {

constexpr size_t kReleasedBytes = 64 * 1024;  // for less a system call does not pay

struct Dispatch {
  Preparer& p;
  const ir::Step& step;
  using Out = Result<PreparedStep>;
  Out operator()(const ir::ConvPrim& prim) const { return PrepareConv(p, prim, step); }
  Out operator()(const ir::MatMulPrim& prim) const { return PrepareMatMul(p, prim, step); }
  Out operator()(const ir::PoolPrim& prim) const { return PreparePool(p, prim, step); }
  Out operator()(const ir::WindowPrim& prim) const { return PrepareWindow(p, prim, step); }
  Out operator()(const ir::MapPrim& prim) const { return PrepareMap(p, prim, step); }
  Out operator()(const ir::ReducePrim& prim) const { return PrepareReduce(p, prim, step); }
  Out operator()(const ir::SoftmaxPrim& prim) const { return PrepareSoftmax(p, prim, step); }
  Out operator()(const ir::RasterPrim& prim) const { return PrepareRaster(p, prim, step); }
  Out operator()(const ir::GatherPrim& prim) const { return PrepareGather(p, prim, step); }
  Out operator()(const ir::NormPrim& prim) const { return PrepareNorm(p, prim, step); }
  Out operator()(const ir::AttentionPrim& prim) const { return PrepareAttention(p, prim, step); }
  Out operator()(const ir::QuantConvPrim& prim) const { return PrepareQuantConv(p, prim, step); }
  Out operator()(const ir::QuantPoolPrim& prim) const { return PrepareQuantPool(p, prim, step); }
  Out operator()(const ir::BytesPrim& prim) const { return PrepareBytes(p, prim, step); }
  Out operator()(const ir::ScanPrim& prim) const { return PrepareScan(p, prim, step); }
  Out operator()(const ir::SortPrim& prim) const { return PrepareSort(p, prim, step); }
  Out operator()(const ir::ScatterPrim& prim) const { return PrepareScatter(p, prim, step); }
  Out operator()(const ir::RandomPrim& prim) const { return PrepareRandom(p, prim, step); }
  Out operator()(const ir::SamplePrim& prim) const { return PrepareSample(p, prim, step); }
  Out operator()(const ir::RegionPrim& prim) const { return PrepareRegion(p, prim, step); }
  Out operator()(const ir::RecurrentPrim& prim) const { return PrepareRecurrent(p, prim, step); }
  Out operator()(const ir::LinearAttentionPrim& prim) const {
    return PrepareLinearAttention(p, prim, step);
  }
  Out operator()(const ir::FourierPrim& prim) const { return PrepareFourier(p, prim, step); }
  Out operator()(const ir::DeterminantPrim& prim) const {
    return PrepareDeterminant(p, prim, step);
  }
  Out operator()(const ir::HostPrim& prim) const { return PrepareHost(p, prim, step); }
};

}  // namespace

void PreparedStep::Report(std::vector<CandidateReport> candidates, size_t chosen) {
  const auto at = candidates.begin() + static_cast<std::ptrdiff_t>(chosen);
  how = at->name;
  predicted_us = at->predicted_us;
  tuned_us = at->tuned_us;
  rank = at->rank;
  candidates.erase(at);
  rejected = std::move(candidates);
}

Status Preparer::Run() {
  FERRY_ASSIGN_OR_RETURN(std::vector<PreparedStep> foreign, PrepareParts(*this));
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    const ir::Step& step = program_.steps[i];
    if (!foreign.empty() && foreign[i].backend != nullptr) {
      steps.push_back(std::move(foreign[i]));
      continue;
    }
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
  const ByteView constant = model_.ConstantAt(weights);
  PackedCache& cache = constant.empty() ? own_ : model_.packed;
  bool is_new = false;
  auto block = cache.Get(weights, std::string(kernels::IsaName(table().isa)) + " " + how,
                         static_cast<int64_t>(floats * sizeof(float)), [&](float* to) {
                           pack(to);
                           is_new = true;
                         });
  // A mapped file's own form of the weights need not stay in memory beside the packed one.
  if (is_new && constant.size() >= kReleasedBytes) sys::ReleaseMapped(constant);
  return block;
}

}  // namespace ferry::engine
