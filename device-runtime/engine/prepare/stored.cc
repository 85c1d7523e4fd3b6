#include "device-runtime/engine/prepare/stored.h"

#include "device-runtime/engine/prepare/epilogue.h"
#include "device-runtime/kernels/gemm/stored.h"

namespace ferry::engine {
namespace {

// Of what goes into a packed matrix beside its elements: plans make these anew, packed ones stay.
uint64_t HashOf(const tensor::Tensor* t) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  if (t == nullptr) return 0;
  for (int64_t i = 0; i < t->size_bytes(); ++i) hash = (hash ^ t->raw()[i]) * 1099511628211u;
  return hash;
}

}  // namespace

Result<PreparedStep> PrepareStored(Preparer& p, const ir::MatMulPrim& prim, const ir::Step& step) {
  const kernels::KernelTable& table = p.table();
  const int b = Slot(step, 1), scale = Slot(step, kStoredScale),
            zero = Slot(step, kStoredScale + 1);
  const tensor::Tensor* data = p.ConstantOf(b);
  const tensor::Tensor* scales = p.ConstantOf(scale);
  const tensor::Tensor* zeros = zero < 0 ? nullptr : p.ConstantOf(zero);
  if (data == nullptr || scales == nullptr || (zero >= 0 && zeros == nullptr)) {
    return Status(Code::kUnsupported, "a stored matrix that is no constant");
  }
  const DType dtype = p.TypeOf(b);
  kernels::StoredMatrix matrix;
  matrix.data = data->raw();
  matrix.row_stride = prim.b_row;
  matrix.column_stride = prim.b_column;
  matrix.is_signed = dtype == DType::kI8 || dtype == DType::kI4;
  matrix.is_half = dtype == DType::kI4 || dtype == DType::kU4;
  matrix.blocks = scales->shape()[0];
  matrix.scale = reinterpret_cast<const float*>(scales->raw());
  matrix.zero = zeros == nullptr ? nullptr : reinterpret_cast<const float*>(zeros->raw());
  const std::string how = fmt::format("stored {}x{} {} {} {} {:x} {:x}", prim.k, prim.n, prim.b_row,
                                      prim.b_column, matrix.blocks, HashOf(scales), HashOf(zeros));
  const size_t floats = kernels::StoredSize(table, prim.k, prim.n, matrix) / sizeof(float);
  FERRY_ASSIGN_OR_RETURN(auto packed,
                         p.Packed(reinterpret_cast<const float*>(data->raw()), how, floats,
                                  [&](const float* from, float* to) {
                                    matrix.data = reinterpret_cast<const uint8_t*>(from);
                                    kernels::PackStored(table, prim.k, prim.n, matrix,
                                                        reinterpret_cast<uint8_t*>(to));
                                  }));
  kernels::StoredMatrix form;
  form.is_half = matrix.is_half;
  form.blocks = matrix.blocks;
  const int a = Slot(step, 0), bias = Slot(step, 2), add = Slot(step, 3), y = step.outputs[0];
  PreparedStep prepared;
  prepared.how = matrix.is_half ? "4 bits" : "8 bits";
  prepared.run = [=, &table, post = EpilogueOf(prim.post)](const RunContext& c) {
    kernels::Epilogue epilogue = post;
    epilogue.bias = c.floats(bias);
    epilogue.add = c.floats(add);
    kernels::GemmStored(table, c.parallel, {prim.m, prim.n, prim.k}, form,
                        c.floats(a) + prim.a_offsets[0], prim.a_row, packed->data(), epilogue,
                        c.floats(y), prim.n);
    return OkStatus();
  };
  return prepared;
}

}  // namespace ferry::engine
