// What the operators on integer sums share (QConv, QMatMul, QAveragePool): the attributes of what
// follows a sum, and its value. The pass that recognises quantized models makes these operators
// (passes/quantized); they are never in ONNX files. Meaning: kernels/quant/quant.h (QuantEpilogue).
#pragma once

#include "device-runtime/ir/program.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {

// Inputs of QConv and QMatMul: x u8 or i8, w i8, factor f32 (not for i32 outputs), bias i32?,
// offset f32?, an addend u8 or i8 of y's shape?, x's zero point of its type (else attribute
// x_zero)?.
enum QuantInput { kX, kW, kFactor, kBias, kOffset, kAdd, kXZero, kQuantInputs };

struct QuantSum {
  DType dtype = DType::kU8;  // attribute y_type: u8, i8, f32 or i32 (ONNX type numbers)
  int32_t x_zero = 0;
  ir::QuantPost
      post;  // add_zero, add_factor, first_low, first_high, first_factor, low, high, y_zero
};

// Reads and checks the attributes; input 0 is u8 or i8.
Result<QuantSum> QuantSumOf(const NodeContext& c);
// Checks the inputs of QConv and QMatMul for `columns` output channels; the addend against `y`.
Status CheckQuantInputs(const NodeContext& c, const QuantSum& q, int64_t columns, const Shape& y);
// Element `at` of y from its sum (of `column`), by the rule of the kernels.
void PutQuantSum(const QuantSum& q, int64_t sum, float factor, float offset, const Tensor* add,
                 int64_t at, Tensor& y);
// The same with the inputs of QConv and QMatMul.
void PutQuantSum(ReferenceContext& c, const QuantSum& q, int64_t sum, int64_t column, int64_t at);
// x's zero point as input or attribute.
int32_t XZero(const ReferenceContext& c, const QuantSum& q);

}  // namespace ferry::ops
