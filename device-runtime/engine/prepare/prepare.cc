#include "device-runtime/engine/prepare/prepare.h"

#include <cstring>

#include "common/sys/pages.h"
#include "device-runtime/engine/split/parts.h"
#include "device-runtime/tensor/alignment.h"

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

namespace {

// pack(weights, to), where `weights` are floats that may lie anywhere in the `constant`.
Status FromReadable(const float* weights, ByteView constant, float* to,
                    const std::function<void(const float*, float*)>& pack) {
  if (constant.empty() || reinterpret_cast<uintptr_t>(weights) % alignof(float) == 0) {
    pack(weights, to);
    return OkStatus();
  }
  const auto* from = reinterpret_cast<const uint8_t*>(weights);
  const auto size = constant.data() + constant.size() - from;
  FERRY_ASSIGN_OR_RETURN(const tensor::Buffer copy, tensor::Buffer::Allocate(size));
  std::memcpy(copy.data(), from, static_cast<size_t>(size));
  pack(reinterpret_cast<const float*>(copy.data()), to);
  return OkStatus();
}

}  // namespace

Result<std::vector<std::pair<ir::BufferId, PackedCache::Block>>> Preparer::AlignedConstants() {
  std::vector<std::pair<ir::BufferId, PackedCache::Block>> copies;
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    const auto packed = packed_.find(static_cast<int>(i));
    for (const ir::BufferId input : program_.steps[i].inputs) {
      const tensor::Tensor* constant = input < 0 ? nullptr : ConstantOf(input);
      if (constant == nullptr || tensor::IsAligned(*constant)) continue;
      if (packed != packed_.end() && packed->second == constant->raw()) continue;
      FERRY_ASSIGN_OR_RETURN(
          auto block,
          model_.packed.Get(constant->raw(), "aligned", constant->size_bytes(), [&](float* to) {
            std::memcpy(to, constant->raw(), constant->bytes().size());
            return OkStatus();
          }));
      copies.emplace_back(input, std::move(block));
    }
  }
  return copies;
}

Status Preparer::Run(ForeignParts foreign) {
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    const ir::Step& step = program_.steps[i];
    if (foreign.any && foreign.steps[i].backend != nullptr) {
      steps.push_back(std::move(foreign.steps[i]));
      continue;
    }
    auto prepared = std::visit(Dispatch{*this, step}, step.primitive);
    if (!prepared.ok()) return prepared.status().Context("preparing '{}'", step.node);
    steps.push_back(*std::move(prepared));
    if (foreign.reasons.empty()) continue;
    const auto reason = foreign.reasons.find(step.outputs[0]);
    if (reason != foreign.reasons.end()) steps.back().fallback = reason->second;
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

bool Preparer::IsPacked(const float* weights, const std::string& how) const {
  return !model_.ConstantAt(weights).empty() &&
         model_.packed.Has(weights, std::string(kernels::IsaName(table().isa)) + " " + how);
}

Result<PackedCache::Block> Preparer::Packed(const float* weights, const std::string& how,
                                            size_t floats,
                                            const std::function<void(const float*, float*)>& pack) {
  const ByteView constant = model_.ConstantAt(weights);
  PackedCache& cache = constant.empty() ? own_ : model_.packed;
  bool is_new = false;
  auto block = cache.Get(weights, std::string(kernels::IsaName(table().isa)) + " " + how,
                         static_cast<int64_t>(floats * sizeof(float)), [&](float* to) -> Status {
                           is_new = true;
                           return FromReadable(weights, constant, to, pack);
                         });
  if (!constant.empty()) packed_[static_cast<int>(steps.size())] = constant.data();
  // A mapped file's own form of the weights need not stay in memory beside the packed one.
  if (is_new && constant.size() >= kReleasedBytes) sys::ReleaseMapped(constant);
  return block;
}

}  // namespace ferry::engine
