// Integer sums on bytes: convolutions, products, means, tables.
#include "device-runtime/kernels/quant/quant.h"

#include "device-runtime/engine/prepare/conv_shape.h"
#include "device-runtime/engine/prepare/epilogue.h"
#include "device-runtime/engine/prepare/prepare.h"

namespace ferry::engine {
namespace {

using kernels::QuantEpilogue;
using kernels::QuantType;

QuantEpilogue EpilogueFor(const ir::QuantPost& post, DType y) {
  QuantEpilogue e;
  e.type = y == DType::kU8    ? QuantType::kU8
           : y == DType::kI8  ? QuantType::kI8
           : y == DType::kF32 ? QuantType::kF32
                              : QuantType::kI32;
  e.rounds_first = post.rounds_first;
  e.add_zero = post.add_zero;
  e.add_factor = post.add_factor;
  e.first_low = post.first_low;
  e.first_high = post.first_high;
  e.first_factor = post.first_factor;
  e.low = post.low;
  e.high = post.high;
  e.zero = post.zero;
  return e;
}

DType TypeOf(const Preparer& p, int id) {
  return p.program().buffers[id].dtype;
}

// The slots of a convolution's buffers.
struct Slots {
  int x, w, factor, bias, offset, add, x_zero, y, packed, workspace;
};

// How a convolution runs.
struct ConvForm {
  const char* name;
  decltype(&kernels::QuantPackedSize) packed_size;
  decltype(&kernels::QuantPack) pack;
  decltype(&kernels::QuantWorkspaceSize) workspace_size;
  decltype(&kernels::RunQuantConv) run;
};

ConvForm FormOf(const kernels::KernelTable& table, const kernels::ConvShape& shape,
                const tensor::Tensor* weights) {
  if (weights != nullptr && kernels::QuantWinogradPays(table, shape) &&
      kernels::QuantWinogradRuns(table, shape, reinterpret_cast<const int8_t*>(weights->raw()))) {
    return {"winograd4", kernels::QuantWinogradPackedSize, kernels::QuantWinogradPack,
            kernels::QuantWinogradWorkspace, kernels::RunQuantWinograd};
  }
  return {kernels::QuantConvName(shape), kernels::QuantPackedSize, kernels::QuantPack,
          kernels::QuantWorkspaceSize, kernels::RunQuantConv};
}

int32_t ZeroOf(const uint8_t* at, bool is_signed) {
  return is_signed ? static_cast<int8_t>(*at) : *at;
}

}  // namespace

Result<PreparedStep> PrepareQuantConv(Preparer& p, const ir::QuantConvPrim& prim,
                                      const ir::Step& step) {
  const kernels::KernelTable& table = p.table();
  const kernels::QuantConv fixed = {ConvShapeOf(prim.conv), TypeOf(p, step.inputs[0]) == DType::kI8,
                                    prim.x_zero};
  const kernels::ConvShape& shape = fixed.shape;
  QuantEpilogue base = EpilogueFor(prim.post, TypeOf(p, step.outputs[0]));
  Slots s = {Slot(step, 0),
             Slot(step, 1),
             Slot(step, 2),
             Slot(step, 3),
             Slot(step, 4),
             Slot(step, 5),
             Slot(step, 6),
             step.outputs[0],
             -1,
             -1};
  base.add_signed = s.add >= 0 && TypeOf(p, s.add) == DType::kI8;
  const tensor::Tensor* weights = p.ConstantOf(s.w);
  const ConvForm form = FormOf(table, shape, weights);
  const size_t packed_floats = form.packed_size(table, shape) / sizeof(float);
  s.workspace = p.AddWorkspace(form.workspace_size(table, shape) / sizeof(float) + 1);
  PackedCache::Block packed;
  if (weights != nullptr) {
    const std::string how = fmt::format("qconv {} {}x{}x{}x{}/{}", form.name, shape.out_c,
                                        shape.in_c, shape.kernel_h, shape.kernel_w, shape.groups);
    const auto* data = reinterpret_cast<const float*>(weights->raw());
    FERRY_ASSIGN_OR_RETURN(packed,
                           p.Packed(data, how, packed_floats, [&](const float* from, float* to) {
                             form.pack(table, shape, reinterpret_cast<const int8_t*>(from),
                                       reinterpret_cast<uint8_t*>(to));
                           }));
  } else {
    s.packed = p.AddWorkspace(packed_floats);
  }
  PreparedStep prepared;
  prepared.how = form.name;
  prepared.run = [=, &table](const RunContext& c) {
    kernels::QuantConv conv = fixed;
    if (s.x_zero >= 0) conv.x_zero = ZeroOf(c.at[s.x_zero], conv.x_signed);
    QuantEpilogue e = base;
    e.factor = c.floats(s.factor);
    e.offset = c.floats(s.offset);
    e.add = s.add < 0 ? nullptr : c.at[s.add];
    const uint8_t* weights = packed ? packed->data() : nullptr;
    if (s.packed >= 0) {
      kernels::QuantPack(table, conv.shape, reinterpret_cast<const int8_t*>(c.at[s.w]),
                         c.at[s.packed]);
      weights = c.at[s.packed];
    }
    const int32_t* bias = s.bias < 0 ? nullptr : reinterpret_cast<const int32_t*>(c.at[s.bias]);
    form.run(table, c.parallel, conv, c.at[s.x], weights, bias, e, c.at[s.y], c.at[s.workspace]);
    return OkStatus();
  };
  return prepared;
}

Result<PreparedStep> PrepareQuantPool(Preparer& p, const ir::QuantPoolPrim& prim,
                                      const ir::Step& step) {
  const int x = step.inputs[0], y = step.outputs[0];
  const QuantEpilogue e = EpilogueFor(prim.post, TypeOf(p, y));
  const bool is_signed = TypeOf(p, x) == DType::kI8;
  const bool padding = prim.pool.kind == ir::PoolKind::kAverageWithPad;
  return PreparedStep{[=, shape = PoolShapeOf(prim.pool), zero = prim.x_zero, factor = prim.factor,
                       &table = p.table()](const RunContext& c) {
                        kernels::QuantAveragePool(table, c.parallel, shape, padding, is_signed,
                                                  zero, factor, e, c.at[x], c.at[y]);
                        return OkStatus();
                      },
                      ""};
}

Result<PreparedStep> PrepareBytes(Preparer& p, const ir::BytesPrim& prim, const ir::Step& step) {
  const int a = step.inputs[0], b = Slot(step, 1), y = step.outputs[0];
  const bool is_signed = TypeOf(p, y) == DType::kI8;
  const kernels::KernelTable& table = p.table();
  PreparedStep prepared;
  if (prim.kind == ir::BytesKind::kTable) {
    prepared.run = [=, &table](const RunContext& c) {
      kernels::MapBytes(table, c.parallel, prim.outer * prim.repeat * prim.inner, c.at[b], c.at[a],
                        c.at[y]);
      return OkStatus();
    };
    return prepared;
  }
  if (prim.kind == ir::BytesKind::kQuantize) {
    prepared.run = [=, &table](const RunContext& c) {
      kernels::QuantizeBytes(table, c.parallel, prim.outer, prim.repeat, prim.inner, prim.a_factor,
                             prim.zero, is_signed, c.floats(a), c.at[y]);
      return OkStatus();
    };
    return prepared;
  }
  const kernels::QuantBinaryShape shape = {
      .outer = prim.outer,
      .repeat = prim.repeat,
      .inner = prim.inner,
      .multiplies = prim.kind == ir::BytesKind::kMul,
      .a_signed = TypeOf(p, a) == DType::kI8,
      .b_signed = TypeOf(p, b) == DType::kI8,
      .a_zero = prim.a_zero,
      .b_zero = prim.b_zero,
      .a_factor = prim.a_factor,
      .b_factor = prim.b_factor,
      .low = prim.low,
      .high = prim.high,
      .zero = prim.zero,
  };
  prepared.run = [=, &table](const RunContext& c) {
    kernels::QuantBinary(table, c.parallel, shape, c.at[a], c.at[b], c.at[y]);
    return OkStatus();
  };
  return prepared;
}

}  // namespace ferry::engine
