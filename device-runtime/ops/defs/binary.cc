// Element-wise operators of two inputs (Max, Min, Sum: of any number); binary.inc has a row for
// each.
#include <algorithm>
#include <cmath>
#include <limits>

#include "device-runtime/ops/defs/index.h"
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {

std::span<const Op> BinaryOps();

namespace {

uint64_t U(int64_t v) {
  return static_cast<uint64_t>(v);
}
int64_t Wrap(uint64_t v) {
  return static_cast<int64_t>(v);
}

// Integer powers go through double; beyond int64 they stop at its ends.
int64_t Power(int64_t x, int64_t y) {
  const double power = std::pow(static_cast<double>(x), static_cast<double>(y));
  if (!(power > -0x1p63)) return std::numeric_limits<int64_t>::min();
  return power >= 0x1p63 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(power);
}

enum class ResultType { Same, Bool };
struct Function {
  std::string_view name;
  std::string_view kernel;
  ResultType result;
  double (*value)(double x, double y);
  int64_t (*integer)(int64_t x, int64_t y);
};

constexpr Function kFunctions[] = {
#define FERRY_BINARY(name, kernel, most, result, expression, ...)      \
  {#name, kernel, ResultType::result,                                  \
   [](double x, double y) { return static_cast<double>(expression); }, \
   [](int64_t x, int64_t y) { return static_cast<int64_t>(__VA_ARGS__); }},
#include "device-runtime/ops/defs/binary.inc"
#undef FERRY_BINARY
};

const Function& FunctionOf(const NodeContext& c) {
  return *std::ranges::find(kFunctions, c.node().op, &Function::name);
}

Status InferBinary(InferContext& c) {
  Shape shape = c.InputShape(0);
  const DType dtype = c.Input(0).dtype;
  for (int i = 1; i < c.input_count(); ++i) {
    if (!c.HasInput(i)) return Status::Of(Code::kBadModel, "input {} is missing", i);
    if (c.Input(i).dtype != dtype && c.node().op != "Pow") {
      return Status::Of(Code::kShapeMismatch, "inputs are {} and {}", tensor::DTypeName(dtype),
                        tensor::DTypeName(c.Input(i).dtype));
    }
    FERRY_ASSIGN_OR_RETURN(shape, tensor::BroadcastShapes(shape, c.InputShape(i)));
  }
  c.SetOutput(0, FunctionOf(c).result == ResultType::Bool ? DType::kBool : dtype, shape);
  return OkStatus();
}

// Narrower integers wrap when they are stored.
void StoreInteger(Tensor& t, int64_t i, int64_t value) {
  switch (t.dtype()) {
    case DType::kI64:
      t.mutable_data<int64_t>()[U(i)] = value;
      break;
    case DType::kI32:
      t.mutable_data<int32_t>()[U(i)] = static_cast<int32_t>(value);
      break;
    case DType::kI16:
      t.mutable_data<int16_t>()[U(i)] = static_cast<int16_t>(value);
      break;
    case DType::kI8:
      t.mutable_data<int8_t>()[U(i)] = static_cast<int8_t>(value);
      break;
    default:
      t.mutable_raw()[i] = static_cast<uint8_t>(value);
  }
}

Status Pair(const Function& f, const Tensor& a, const Tensor& b, Tensor& out) {
  const bool integers = !tensor::IsFloat(a.dtype()) && !tensor::IsFloat(b.dtype());
  const bool divides = f.name == "Div";
  BroadcastIndex at_a(a.shape(), out.shape());
  BroadcastIndex at_b(b.shape(), out.shape());
  for (int64_t i = 0; i < out.elements(); ++i) {
    if (!integers) {
      out.SetNumber(i, f.value(a.Number(at_a(i)), b.Number(at_b(i))));
      continue;
    }
    const int64_t y = b.Integer(at_b(i));
    if (divides && y == 0) return Status(Code::kInvalidArgument, "integer division by zero");
    StoreInteger(out, i, f.integer(a.Integer(at_a(i)), y));
  }
  return OkStatus();
}

Status ReferenceBinary(ReferenceContext& c) {
  const Function& f = FunctionOf(c);
  Tensor& out = c.Out(0);
  if (c.input_count() == 1) {
    for (int64_t i = 0; i < out.elements(); ++i) out.SetNumber(i, c.In(0).Number(i));
    return OkStatus();
  }
  FERRY_TRY(Pair(f, c.In(0), c.In(1), out));
  // From the third on `out` is itself an operand: element i is read before it is written.
  for (int i = 2; i < c.input_count(); ++i) FERRY_TRY(Pair(f, out, c.In(i), out));
  return OkStatus();
}

// An operand can be read channels-last if its axes line up with the output's, or it is one number.
bool LinesUp(const Shape& operand, const Shape& out) {
  return operand.rank() == out.rank() || operand.elements() == 1;
}

Status LowerBinary(LowerContext& c) {
  const Function& f = FunctionOf(c);
  bool f32 = !f.kernel.empty() && c.input_count() > 1;
  bool lines_up = true;
  bool any_last = false;
  for (int i = 0; i < c.input_count(); ++i) {
    f32 = f32 && c.Input(i).dtype == DType::kF32;
    lines_up = lines_up && LinesUp(c.InputShape(i), c.OutputShape(0));
    any_last =
        any_last || (c.IsChannelsLast(i) && c.InputShape(i).rank() == c.OutputShape(0).rank());
  }
  if (!f32) {
    c.EmitCall();
    return OkStatus();
  }
  const Layout layout = lines_up && any_last ? Layout::kChannelsLast : Layout::kPlain;
  auto laid = [&](const Shape& s) {
    return layout == Layout::kPlain || s.rank() != c.OutputShape(0).rank() ? s : ChannelsLast(s);
  };
  BufferId left = -1;
  Shape left_shape;
  for (int i = 0; i < c.input_count(); ++i) {
    const Shape& full = c.InputShape(i);
    const bool same_rank = full.rank() == c.OutputShape(0).rank();
    const BufferId right = c.In(i, same_rank ? layout : Layout::kPlain);
    const Shape right_shape = laid(full);
    if (i == 0) {
      left = right;
      left_shape = right_shape;
      continue;
    }
    FERRY_ASSIGN_OR_RETURN(Shape shape, tensor::BroadcastShapes(left_shape, right_shape));
    ir::BinaryPrim prim;
    prim.op = f.kernel;
    prim.rank = shape.rank();
    std::ranges::copy(shape.dims(), prim.size.begin());
    prim.a_stride = tensor::BroadcastStrides(left_shape, shape);
    prim.b_stride = tensor::BroadcastStrides(right_shape, shape);
    const BufferId y =
        i + 1 == c.input_count() ? c.Out(0, layout) : c.Temporary(DType::kF32, shape);
    c.Emit(std::move(prim), {left, right}, y);
    left = y;
    left_shape = shape;
  }
  return OkStatus();
}

constexpr Op kOps[] = {
#define FERRY_BINARY(name, kernel, most, ...) \
  {#name, most == 2 ? 2 : 1, most, 1, 1, InferBinary, ReferenceBinary, LowerBinary},
#include "device-runtime/ops/defs/binary.inc"
#undef FERRY_BINARY
};

}  // namespace

std::span<const Op> BinaryOps() {
  return kOps;
}

}  // namespace ferry::ops
