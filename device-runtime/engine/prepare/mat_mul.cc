#include "device-runtime/engine/prepare/epilogue.h"
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/kernels/gemm/gemm.h"

namespace ferry::engine {
namespace {

// The packed right sides of a constant operand, one per product.
Result<std::vector<PackedCache::Block>> PackAll(Preparer& p, const ir::MatMulPrim& prim,
                                                const float* b, size_t floats) {
  std::vector<PackedCache::Block> blocks;
  for (int64_t offset : prim.b_offsets) {
    const kernels::MatrixView view = {b + offset, prim.b_row, prim.b_column};
    const std::string how =
        fmt::format("matmul {}x{} {} {}", prim.k, prim.n, prim.b_row, prim.b_column);
    FERRY_ASSIGN_OR_RETURN(auto block, p.Packed(b + offset, how, floats, [&](float* to) {
      kernels::PackB(p.table(), prim.k, prim.n, view, to);
    }));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace

Result<PreparedStep> PrepareMatMul(Preparer& p, const ir::MatMulPrim& prim, const ir::Step& step) {
  const kernels::KernelTable& table = p.table();
  const kernels::GemmShape shape = {prim.m, prim.n, prim.k};
  const size_t packed_floats = kernels::PackedBSize(table, prim.k, prim.n);
  const int workspace = p.AddWorkspace(kernels::GemmWorkspaceSize(shape, prim.a_column));
  const int a = Slot(step, 0), b = Slot(step, 1), bias = Slot(step, 2), add = Slot(step, 3);
  const int y = step.outputs[0];
  const kernels::Epilogue post = EpilogueOf(prim.post);
  std::vector<PackedCache::Block> blocks;
  int packed_slot = -1;
  if (const tensor::Tensor* weights = p.ConstantOf(b)) {
    FERRY_ASSIGN_OR_RETURN(
        blocks, PackAll(p, prim, reinterpret_cast<const float*>(weights->raw()), packed_floats));
  } else {
    packed_slot = p.AddWorkspace(packed_floats);
  }
  PreparedStep prepared;
  prepared.how = blocks.empty() ? "packed in each run" : "packed before";
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
        if (!same) kernels::PackB(table, prim.k, prim.n, view, c.floats(packed_slot));
        packed = c.floats(packed_slot);
      }
      const kernels::MatrixView left = {c.floats(a) + prim.a_offsets[i], prim.a_row, prim.a_column};
      kernels::Gemm(table, c.parallel, shape, left, packed, epilogue, c.floats(y) + at, prim.n,
                    c.floats(workspace));
    }
    return OkStatus();
  };
  return prepared;
}

}  // namespace ferry::engine
