#include "device-runtime/backends/cpu/search/search.h"
#include "device-runtime/engine/prepare/epilogue.h"
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/engine/tune/trials.h"
#include "device-runtime/kernels/gemm/any.h"
#include "device-runtime/kernels/gemm/gemm.h"

namespace ferry::engine {
namespace {

// The packed right sides of a constant operand, one per product.
Result<std::vector<PackedCache::Block>> PackAll(Preparer& p, const ir::MatMulPrim& prim,
                                                const float* b, size_t floats,
                                                const kernels::Tiles& tiles) {
  std::vector<PackedCache::Block> blocks;
  for (int64_t offset : prim.b_offsets) {
    const kernels::MatrixView view = {b + offset, prim.b_row, prim.b_column};
    const std::string how = fmt::format("matmul {} {}x{} {} {}", tiles.vectors, prim.k, prim.n,
                                        prim.b_row, prim.b_column);
    FERRY_ASSIGN_OR_RETURN(auto block, p.Packed(b + offset, how, floats, [&](float* to) {
      kernels::PackB(p.table(), prim.k, prim.n, view, to, tiles);
    }));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

// The tiles to take; reports them and the others.
kernels::Tiles Choose(const Preparer& p, const ir::MatMulPrim& prim,
                      const kernels::GemmShape& shape, PreparedStep& prepared) {
  const PlanSettings& settings = p.settings();
  const auto candidates = backends::SearchProduct(p.table(), p.device().description(), shape,
                                                  settings.parallel->width());
  const auto batch = static_cast<double>(prim.a_offsets.size());
  std::vector<CandidateReport> reports;
  for (const backends::ProductCandidate& c : candidates) {
    const int rank = static_cast<int>(reports.size());
    reports.push_back({c.Name(), batch * c.cost_us, -1, 0, rank});
    if (!settings.WantsAll()) break;
  }
  size_t chosen = 0;
  if (settings.tuner != nullptr) {
    chosen =
        settings.tuner->Pick(fmt::format("matmul {}x{}x{}", shape.m, shape.k, shape.n), reports,
                             ProductTrials(p.table(), *settings.parallel, shape, candidates));
  }
  prepared.Report(std::move(reports), chosen);
  return candidates[chosen].tiles;
}

}  // namespace

namespace {

// Other numbers than f32, whose epilogues have no activation.
PreparedStep AnyMatMul(DType dtype, const ir::MatMulPrim& prim, const ir::Step& step) {
  const int a = Slot(step, 0), b = Slot(step, 1), bias = Slot(step, 2), add = Slot(step, 3);
  const int y = step.outputs[0];
  const auto width = static_cast<int64_t>(tensor::DTypeSize(dtype));
  const auto run = [=](const RunContext& c) {
    const auto at = [&](int slot, int64_t element) {
      return slot < 0 ? nullptr : c.at[slot] + element * width;
    };
    for (size_t i = 0; i < prim.a_offsets.size(); ++i) {
      const int64_t first = static_cast<int64_t>(i) * prim.m * prim.n;
      const bool done = kernels::GemmAny(c.parallel, dtype, prim.m, prim.n, prim.k,
                                         {at(a, prim.a_offsets[i]), prim.a_row, prim.a_column},
                                         {at(b, prim.b_offsets[i]), prim.b_row, prim.b_column},
                                         at(bias, 0), at(add, first), at(y, first));
      if (!done) return Status(Code::kInternal, "no product of this dtype");
    }
    return OkStatus();
  };
  return {run, "any"};
}

}  // namespace

Result<PreparedStep> PrepareMatMul(Preparer& p, const ir::MatMulPrim& prim, const ir::Step& step) {
  const DType dtype = p.TypeOf(step.outputs[0]);
  if (dtype != DType::kF32) {
    if (prim.post.activation.empty()) return AnyMatMul(dtype, prim, step);
    return Status(Code::kInternal, "an activation behind a product of another dtype than f32");
  }
  const kernels::KernelTable& table = p.table();
  const kernels::GemmShape shape = {prim.m, prim.n, prim.k};
  PreparedStep prepared;
  const kernels::Tiles tiles = Choose(p, prim, shape, prepared);
  const size_t packed_floats = kernels::PackedBSize(table, prim.k, prim.n);
  const int workspace = p.AddWorkspace(kernels::GemmWorkspaceSize(shape, prim.a_column));
  const int a = Slot(step, 0), b = Slot(step, 1), bias = Slot(step, 2), add = Slot(step, 3);
  const int y = step.outputs[0];
  const kernels::Epilogue post = EpilogueOf(prim.post);
  std::vector<PackedCache::Block> blocks;
  int packed_slot = -1;
  if (const tensor::Tensor* weights = p.ConstantOf(b)) {
    FERRY_ASSIGN_OR_RETURN(blocks, PackAll(p, prim, reinterpret_cast<const float*>(weights->raw()),
                                           packed_floats, tiles));
  } else {
    packed_slot = p.AddWorkspace(packed_floats);
  }
  if (blocks.empty()) prepared.how += " in each run";
  prepared.run = [=, &table](const RunContext& c) {
    for (size_t i = 0; i < prim.a_offsets.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i) * prim.m * prim.n;
      kernels::Epilogue epilogue = post;
      epilogue.bias = c.floats(bias);
      epilogue.add = add < 0 ? nullptr : c.floats(add) + at;
      const float* packed = nullptr;
      if (!blocks.empty()) {
        packed = reinterpret_cast<const float*>(blocks[i]->data());
      } else {
        const bool same = i > 0 && prim.b_offsets[i] == prim.b_offsets[i - 1];
        const kernels::MatrixView view = {c.floats(b) + prim.b_offsets[i], prim.b_row,
                                          prim.b_column};
        if (!same) kernels::PackB(table, prim.k, prim.n, view, c.floats(packed_slot), tiles);
        packed = c.floats(packed_slot);
      }
      const kernels::MatrixView left = {c.floats(a) + prim.a_offsets[i], prim.a_row, prim.a_column};
      kernels::Gemm(table, c.parallel, shape, left, packed, epilogue, c.floats(y) + at, prim.n,
                    c.floats(workspace), tiles);
    }
    return OkStatus();
  };
  return prepared;
}

}  // namespace ferry::engine
