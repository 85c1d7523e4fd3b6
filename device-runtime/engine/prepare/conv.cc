#include "device-runtime/kernels/conv/conv.h"

#include "device-runtime/engine/prepare/epilogue.h"
#include "device-runtime/engine/prepare/prepare.h"

namespace ferry::engine {

Result<PreparedStep> PrepareConv(Preparer& p, const ir::ConvPrim& prim, const ir::Step& step) {
  const kernels::ConvShape shape = {
      .batch = prim.batch,
      .in_h = prim.in_h,
      .in_w = prim.in_w,
      .in_c = prim.in_c,
      .out_h = prim.out_h,
      .out_w = prim.out_w,
      .out_c = prim.out_c,
      .kernel_h = prim.kernel_h,
      .kernel_w = prim.kernel_w,
      .stride_h = prim.stride_h,
      .stride_w = prim.stride_w,
      .dilation_h = prim.dilation_h,
      .dilation_w = prim.dilation_w,
      .pad_top = prim.pad_top,
      .pad_left = prim.pad_left,
      .groups = prim.groups,
  };
  const kernels::KernelTable& table = p.table();
  const auto algorithm = p.device().ChooseConv(shape).algorithm;
  const size_t packed_floats = kernels::ConvPackedSize(table, algorithm, shape);
  const int workspace = p.AddWorkspace(kernels::ConvWorkspaceSize(table, algorithm, shape));
  const kernels::Epilogue post = EpilogueOf(prim.post);
  const int x = Slot(step, 0), w = Slot(step, 1), bias = Slot(step, 2), add = Slot(step, 3);
  const int y = step.outputs[0];
  PackedCache::Block packed;
  int packed_slot = -1;
  if (const tensor::Tensor* weights = p.ConstantOf(w)) {
    const float* data = reinterpret_cast<const float*>(weights->raw());
    // Strides and extents do not change the packed form, but groups and algorithm do.
    const std::string how =
        fmt::format("conv {} {}x{}x{}x{}/{}", kernels::ConvAlgorithmName(algorithm), shape.out_c,
                    shape.in_c, shape.kernel_h, shape.kernel_w, shape.groups);
    FERRY_ASSIGN_OR_RETURN(packed, p.Packed(data, how, packed_floats, [&](float* to) {
      kernels::ConvPack(table, algorithm, shape, data, to);
    }));
  } else {
    packed_slot = p.AddWorkspace(packed_floats);
  }
  PreparedStep prepared;
  prepared.how = kernels::ConvAlgorithmName(algorithm);
  prepared.run = [=, &table](const RunContext& c) {
    kernels::Epilogue epilogue = post;
    epilogue.bias = c.floats(bias);
    epilogue.add = c.floats(add);
    const float* weights = packed ? reinterpret_cast<const float*>(packed->data()) : nullptr;
    if (packed_slot >= 0) {
      kernels::ConvPack(table, algorithm, shape, c.floats(w), c.floats(packed_slot));
      weights = c.floats(packed_slot);
    }
    kernels::Conv(table, c.parallel, algorithm, shape, c.floats(x), weights, epilogue, c.floats(y),
                  c.floats(workspace));
    return OkStatus();
  };
  return prepared;
}

}  // namespace ferry::engine
