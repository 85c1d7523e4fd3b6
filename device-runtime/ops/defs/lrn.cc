// LRN (ONNX): x / (bias + alpha * mean square of `size` channels around it)^beta; channels outside
// count as zeros.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandLrn(ExpandContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0}));
  const Shape& shape = c.InputShape(0);
  if (shape.rank() < 2)
    return Status::Of(Code::kShapeMismatch, "{} has no channels", shape.ToString());
  FERRY_ASSIGN_OR_RETURN(const float alpha, c.Float("alpha", 1e-4f));
  FERRY_ASSIGN_OR_RETURN(const float beta, c.Float("beta", 0.75f));
  FERRY_ASSIGN_OR_RETURN(const float bias, c.Float("bias", 1.0f));
  FERRY_ASSIGN_OR_RETURN(const int64_t size, c.Int("size", 0));
  if (size < 1 || size > kMaxAttribute) return Status::Of(Code::kBadModel, "size is {}", size);
  const DType dtype = c.Input(0).dtype;
  const DType wide = WideFloat(dtype);
  const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  const ValueId x = c.Cast(c.In(0), wide);
  ValueId mean = c.Add("Mul", {x, x});
  if (shape.elements() > 0) {
    // The window slides over channels as an average pool does over the rows of one plane.
    const std::vector<int64_t> plane = {shape[0], 1, shape[1], shape.Product(2, shape.rank())};
    mean = c.Add("AveragePool", {c.Reshape(mean, plane)},
                 {{"kernel_shape", std::vector<int64_t>{size, 1}},
                  {"pads", std::vector<int64_t>{(size - 1) / 2, 0, size / 2, 0}},
                  {"count_include_pad", int64_t{1}}});
    mean = c.Reshape(mean, dims);
  }
  const ValueId base =
      c.Add("Add", {c.Add("Mul", {mean, c.Number(wide, alpha)}), c.Number(wide, bias)});
  const ValueId divisor = c.Add("Pow", {base, c.Number(wide, beta)});
  c.SetOutput(0, c.Cast(c.Add("Div", {x, divisor}), dtype));
  return OkStatus();
}

}  // namespace

extern const Op kLRNOp;
const Op kLRNOp = {.name = "LRN",
                   .min_inputs = 1,
                   .max_inputs = 1,
                   .min_outputs = 1,
                   .max_outputs = 1,
                   .expand = ExpandLrn};

}  // namespace ferry::ops
