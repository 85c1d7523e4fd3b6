#include "device-runtime/backends/cpu/search/search.h"
#include "device-runtime/engine/prepare/bf16.h"
#include "device-runtime/engine/prepare/epilogue.h"
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/engine/prepare/stored.h"
#include "device-runtime/engine/tune/trials.h"
#include "device-runtime/kernels/gemm/any.h"
#include "device-runtime/kernels/gemm/gemm.h"

namespace ferry::engine {
namespace {

// What the packed form of one right side depends on.
int VectorsOf(const Preparer& p, const backends::ProductCandidate& candidate) {
  const bool is_bf16 = candidate.kind == backends::ProductKind::kBf16;
  const kernels::KernelTable& table = is_bf16 ? kernels::Bf16Table(p.table()) : p.table();
  return kernels::FilledTiles(table, candidate.tiles).vectors;
}

std::string PackedAs(const Preparer& p, const ir::MatMulPrim& prim,
                     const backends::ProductCandidate& candidate) {
  constexpr const char* kForms[] = {"matmul", "bf16", "split"};  // ORDER: ProductKind
  return fmt::format("{} {} {}x{} {} {}", kForms[static_cast<int>(candidate.kind)],
                     VectorsOf(p, candidate), prim.k, prim.n, prim.b_row, prim.b_column);
}

// The packed right sides of a constant operand, one per product.
Result<std::vector<PackedCache::Block>> PackAll(Preparer& p, const ir::MatMulPrim& prim,
                                                const float* b,
                                                const backends::ProductCandidate& chosen) {
  const kernels::Tiles& tiles = chosen.tiles;
  const size_t floats = chosen.functions().packed_size(p.table(), prim.k, prim.n);
  std::vector<PackedCache::Block> blocks;
  for (int64_t offset : prim.b_offsets) {
    FERRY_ASSIGN_OR_RETURN(
        auto block,
        p.Packed(b + offset, PackedAs(p, prim, chosen), floats, [&](const float* from, float* to) {
          const kernels::MatrixView view = {from, prim.b_row, prim.b_column};
          chosen.functions().pack(p.table(), prim.k, prim.n, view, to, tiles);
        }));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

// The first candidate, or one of its kind that costs hardly more and whose weights are packed.
size_t PreferPacked(const Preparer& p, const ir::MatMulPrim& prim, const ir::Step& step,
                    std::span<const backends::ProductCandidate> candidates) {
  const tensor::Tensor* weights = p.ConstantOf(Slot(step, 1));
  if (weights == nullptr || prim.b_offsets.empty()) return 0;
  const float* first = reinterpret_cast<const float*>(weights->raw()) + prim.b_offsets[0];
  uint64_t asked = 0;  // a bit for each width of panels, on which alone the packing depends
  for (size_t i = 0; i < candidates.size(); ++i) {
    const backends::ProductCandidate& c = candidates[i];
    if (c.kind != candidates[0].kind || c.cost_us > kRepackGain * candidates[0].cost_us) break;
    const uint64_t bit = uint64_t{1} << VectorsOf(p, c);
    if ((asked & bit) != 0) continue;
    asked |= bit;
    if (p.IsPacked(first, PackedAs(p, prim, c))) return i;
  }
  return 0;
}

// The way to take; reports it and the others.
backends::ProductCandidate Choose(const Preparer& p, const ir::MatMulPrim& prim,
                                  const ir::Step& step, const kernels::GemmShape& shape,
                                  PreparedStep& prepared) {
  const PlanSettings& settings = p.settings();
  const auto candidates = backends::SearchProduct(
      p.table(), p.device().description(), shape, settings.parallel->width(),
      {Bf16ProductError(p, step.inputs[0], step.inputs[1]), settings.error_bound,
       p.ConstantOf(step.inputs[1]) != nullptr});
  const auto batch = static_cast<double>(prim.a_offsets.size());
  size_t chosen = settings.tuner == nullptr ? PreferPacked(p, prim, step, candidates) : 0;
  std::vector<CandidateReport> reports;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const backends::ProductCandidate& c = candidates[i];
    if (!settings.WantsAll() && i != chosen) continue;
    reports.push_back(
        {c.Name(), batch * c.cost_us, -1, c.error, static_cast<int>(i), c.is_admissible});
  }
  if (settings.tuner != nullptr) {
    chosen =
        settings.tuner->Pick(fmt::format("matmul {}x{}x{}", shape.m, shape.k, shape.n), reports,
                             ProductTrials(p.table(), *settings.parallel, shape, candidates));
  }
  prepared.Report(std::move(reports), settings.WantsAll() ? chosen : 0);
  return candidates[chosen];
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
  if (Slot(step, kStoredScale) >= 0) return PrepareStored(p, prim, step);
  if (dtype != DType::kF32) {
    if (prim.post.activation == ir::Activation::kNone) return AnyMatMul(dtype, prim, step);
    return Status(Code::kInternal, "an activation behind a product of another dtype than f32");
  }
  const kernels::KernelTable& table = p.table();
  const kernels::GemmShape shape = {prim.m, prim.n, prim.k};
  PreparedStep prepared;
  const backends::ProductCandidate chosen = Choose(p, prim, step, shape, prepared);
  const kernels::Tiles tiles = chosen.tiles;
  const kernels::ProductFunctions& functions = chosen.functions();
  const int workspace = p.AddWorkspace(functions.workspace_size(shape, prim.a_column));
  const int a = Slot(step, 0), b = Slot(step, 1), bias = Slot(step, 2), add = Slot(step, 3);
  const int y = step.outputs[0];
  const int64_t strided = p.StrideOf(y), row = strided > 0 ? strided : prim.n;
  const kernels::Epilogue post = EpilogueOf(prim.post);
  std::vector<PackedCache::Block> blocks;
  int packed_slot = -1;
  if (const tensor::Tensor* weights = p.ConstantOf(b)) {
    FERRY_ASSIGN_OR_RETURN(
        blocks, PackAll(p, prim, reinterpret_cast<const float*>(weights->raw()), chosen));
  } else {
    packed_slot = p.AddWorkspace(functions.packed_size(table, prim.k, prim.n));
  }
  if (blocks.empty()) prepared.how += " in each run";
  prepared.run = [=, &table, &functions](const RunContext& c) {
    for (size_t i = 0; i < prim.a_offsets.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i) * prim.m * row;
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
        if (!same) functions.pack(table, prim.k, prim.n, view, c.floats(packed_slot), tiles);
        packed = c.floats(packed_slot);
      }
      const kernels::MatrixView left = {c.floats(a) + prim.a_offsets[i], prim.a_row, prim.a_column};
      functions.run(table, c.parallel, shape, left, packed, epilogue, c.floats(y) + at, row,
                    c.floats(workspace), tiles);
    }
    return OkStatus();
  };
  return prepared;
}

}  // namespace ferry::engine
