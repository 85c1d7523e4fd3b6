#include "device-runtime/kernels/conv/conv.h"

#include "device-runtime/backends/cpu/search/search.h"
#include "device-runtime/engine/prepare/conv_shape.h"
#include "device-runtime/engine/prepare/epilogue.h"
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/engine/tune/trials.h"
#include "device-runtime/kernels/gemm/kernels.h"

namespace ferry::engine {

namespace {

// Strides and extents do not change the packed form, but groups, algorithm and panels do.
std::string PackedAs(kernels::ConvAlgorithm algorithm, int vectors,
                     const kernels::ConvShape& shape) {
  return fmt::format("conv {} {} {}x{}x{}x{}/{}", kernels::ConvAlgorithmName(algorithm), vectors,
                     shape.out_c, shape.in_c, shape.kernel_h, shape.kernel_w, shape.groups);
}

// The candidate with tiles that cost hardly more and for which the weights are packed, if there are
// such tiles.
backends::ConvCandidate PreferPacked(const Preparer& p, const ir::Step& step,
                                     const kernels::ConvShape& shape,
                                     const backends::ConvCandidate& best) {
  const tensor::Tensor* weights = p.ConstantOf(Slot(step, 1));
  if (weights == nullptr) return best;
  const float* data = reinterpret_cast<const float*>(weights->raw());
  const auto is_packed = [&](const backends::ConvCandidate& c) {
    const int vectors = kernels::FilledTiles(p.table(), c.tiles).vectors;
    return p.IsPacked(data, PackedAs(c.algorithm, vectors, shape));
  };
  bool is_known = false;  // with other panels: only then the search is worth its time
  for (int vectors = 1; vectors <= kernels::kMaxPanelVectors; ++vectors) {
    is_known = is_known || p.IsPacked(data, PackedAs(best.algorithm, vectors, shape));
  }
  if (!is_known || is_packed(best)) return best;
  const PlanSettings& settings = p.settings();
  const auto all = backends::SearchConv(p.table(), p.device().description(), shape,
                                        {settings.error_bound, settings.parallel->width()}, true);
  for (const backends::ConvCandidate& c : all) {
    if (c.algorithm != best.algorithm || c.cost_us > kRepackGain * best.cost_us) continue;
    if (is_packed(c)) return c;
  }
  return best;
}

// The candidate to take; reports it and the others.
backends::ConvCandidate Choose(const Preparer& p, const ir::ConvPrim& prim, const ir::Step& step,
                               const kernels::ConvShape& shape, PreparedStep& prepared) {
  const PlanSettings& settings = p.settings();
  auto candidates = backends::SearchConv(p.table(), p.device().description(), shape,
                                         {settings.error_bound, settings.parallel->width()},
                                         settings.tuner != nullptr);
  if (settings.tuner == nullptr) candidates[0] = PreferPacked(p, step, shape, candidates[0]);
  std::vector<CandidateReport> reports;
  for (const backends::ConvCandidate& c : candidates) {
    const int rank = static_cast<int>(reports.size());
    reports.push_back({c.Name(), c.cost_us, -1, c.error, rank, c.is_admissible});
    if (!settings.WantsAll()) break;
  }
  size_t chosen = 0;
  if (settings.tuner != nullptr) {  // on tensors of its own, whose pixels lie side by side
    const std::string key =
        fmt::format("conv {}x{}x{}x{} {}x{} /{}x{} d{}x{} p{},{} g{} -> {}x{}x{}", prim.batch,
                    prim.in_h, prim.in_w, prim.in_c, prim.kernel_h, prim.kernel_w, prim.stride_h,
                    prim.stride_w, prim.dilation_h, prim.dilation_w, prim.pad_top, prim.pad_left,
                    prim.groups, prim.out_h, prim.out_w, prim.out_c);
    chosen = settings.tuner->Pick(
        key, reports, ConvTrials(p.table(), *settings.parallel, ConvShapeOf(prim), candidates));
  }
  prepared.Report(std::move(reports), chosen);
  return candidates[chosen];
}

}  // namespace

Result<PreparedStep> PrepareConv(Preparer& p, const ir::ConvPrim& prim, const ir::Step& step) {
  kernels::ConvShape shape = ConvShapeOf(prim);
  shape.in_stride = p.StrideOf(step.inputs[0]);
  shape.out_stride = p.StrideOf(step.outputs[0]);
  if (p.TypeOf(step.outputs[0]) != DType::kF32) return PrepareConvAny(p, shape, prim, step);
  const kernels::KernelTable& table = p.table();
  PreparedStep prepared;
  const backends::ConvCandidate chosen = Choose(p, prim, step, shape, prepared);
  const auto algorithm = chosen.algorithm;
  const kernels::Tiles tiles = chosen.tiles;
  const size_t packed_floats = kernels::ConvPackedSize(table, algorithm, shape);
  const int workspace = p.AddWorkspace(
      kernels::ConvWorkspaceSize(table, algorithm, shape, p.settings().parallel->width()));
  const kernels::Epilogue post = EpilogueOf(prim.post);
  const int x = Slot(step, 0), w = Slot(step, 1), bias = Slot(step, 2), add = Slot(step, 3);
  const int y = step.outputs[0];
  PackedCache::Block packed;
  int packed_slot = -1;
  if (const tensor::Tensor* weights = p.ConstantOf(w)) {
    const float* data = reinterpret_cast<const float*>(weights->raw());
    const std::string how = PackedAs(algorithm, kernels::FilledTiles(table, tiles).vectors, shape);
    FERRY_ASSIGN_OR_RETURN(packed,
                           p.Packed(data, how, packed_floats, [&](const float* from, float* to) {
                             kernels::ConvPack(table, algorithm, shape, from, to, tiles);
                           }));
  } else {
    packed_slot = p.AddWorkspace(packed_floats);
  }
  prepared.run = [=, &table](const RunContext& c) {
    kernels::Epilogue epilogue = post;
    epilogue.bias = c.floats(bias);
    epilogue.add = c.floats(add);
    const float* weights = packed ? reinterpret_cast<const float*>(packed->data()) : nullptr;
    if (packed_slot >= 0) {
      kernels::ConvPack(table, algorithm, shape, c.floats(w), c.floats(packed_slot), tiles);
      weights = c.floats(packed_slot);
    }
    kernels::Conv(table, c.parallel, algorithm, shape, c.floats(x), weights, epilogue, c.floats(y),
                  c.floats(workspace), tiles);
    return OkStatus();
  };
  return prepared;
}

}  // namespace ferry::engine
