// ByteTable (Ferry's own): (x u8 or i8, table [256] of u8 or i8): the entry at x's bits. Any
// function of one quantized tensor.
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"

namespace ferry::ops {
namespace {

Status InferByteTable(InferContext& c) {
  if (!IsByte(c.Input(0).dtype) || !IsByte(c.Input(1).dtype) || c.InputShape(1) != Shape({256})) {
    return Status(Code::kShapeMismatch, "a table must be u8 or i8 [256]");
  }
  c.SetOutput(0, c.Input(1).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceByteTable(ReferenceContext& c) {
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    c.Out(0).mutable_raw()[i] = c.In(1).raw()[c.In(0).raw()[i]];
  }
  return OkStatus();
}

Status LowerByteTable(LowerContext& c) {
  const Layout layout = c.IsChannelsLast(0) ? Layout::kChannelsLast : Layout::kPlain;
  const BufferId x = c.In(0, layout), table = c.In(1);
  ir::BytesPrim prim;
  prim.inner = c.OutputShape(0).elements();
  c.Emit(prim, {x, table}, c.Out(0, layout));
  return OkStatus();
}

}  // namespace

extern const Op kByteTableOp;
const Op kByteTableOp = {"ByteTable",   2, 2, 1, 1, InferByteTable, ReferenceByteTable,
                         LowerByteTable};

}  // namespace ferry::ops
