// Range (ONNX): start, start + delta, ... before limit.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"
#include "device-runtime/ops/shared/places/grid.h"

namespace ferry::ops {
namespace {

// Steps of integers, in 128 bits: the ends of int64 may be far apart.
Result<int64_t> CountOf(int64_t start, int64_t limit, int64_t delta) {
  const __int128 span = static_cast<__int128>(limit) - start;
  if (span == 0 || (span > 0) != (delta > 0)) return 0;
  const __int128 step = delta;
  const __int128 count = (span + step - (delta > 0 ? 1 : -1)) / step;
  if (count > tensor::kMaxElements) return Status(Code::kShapeMismatch, "too many elements");
  return static_cast<int64_t>(count);
}

Result<int64_t> CountOf(double start, double limit, double delta) {
  const double count = std::ceil((limit - start) / delta);
  if (!(count <= static_cast<double>(tensor::kMaxElements))) {
    return Status(Code::kShapeMismatch, "too many elements");
  }
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

Status InferRange(InferContext& c) {
  const DType dtype = c.Input(0).dtype;
  const Tensor* number[3];
  for (int i = 0; i < 3; ++i) {
    FERRY_TRY(CheckKinds(c, i, Kinds::Number));
    if (c.Input(i).dtype != dtype || tensor::IsUnsigned(dtype) || c.InputShape(i).elements() != 1) {
      return Status(Code::kShapeMismatch,
                    "start, limit and delta must be numbers of one signed dtype");
    }
    FERRY_ASSIGN_OR_RETURN(number[i], c.KnownInput(i));
  }
  if (number[2]->Number(0) == 0) return Status(Code::kInvalidArgument, "a delta of 0");
  Result<int64_t> count =
      tensor::IsFloat(dtype)
          ? CountOf(number[0]->Number(0), number[1]->Number(0), number[2]->Number(0))
          : CountOf(number[0]->Integer(0), number[1]->Integer(0), number[2]->Integer(0));
  FERRY_TRY(count.status());
  c.SetOutput(0, dtype, {*count});
  return OkStatus();
}

Status ReferenceRange(ReferenceContext& c) {
  Tensor& y = c.Out(0);
  WithExact(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T start = Get<T>(c.In(0), 0);
    const T delta = Get<T>(c.In(2), 0);
    for (int64_t i = 0; i < y.elements(); ++i) {
      Put<T>(y, i, Plus(start, Times(static_cast<T>(i), delta)));
    }
  });
  return OkStatus();
}

Status LowerRange(LowerContext& c) {
  const Shape& shape = c.OutputShape(0);
  FERRY_ASSIGN_OR_RETURN(const BufferId counting, Counting(c, shape.elements()));
  MapBuilder map(c, shape, Layout::kPlain);
  const auto start = map.Input(0), delta = map.Input(2);
  // Small floats: the sum is done, and rounded, in a wider type.
  const bool is_float = tensor::IsFloat(c.Input(0).dtype);
  const ir::MapType type = is_float ? ir::MapType::kF64 : start.type;
  const auto steps = map.Convert(map.Buffer(counting, DType::kI64, tensor::Strides{1}), type);
  const auto sum =
      map.Call("Add", map.Convert(start, type), map.Call("Mul", steps, map.Convert(delta, type)));
  map.Output(0, map.Convert(sum, start.type));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kRangeOp;
const Op kRangeOp = {"Range", 3, 3, 1, 1, InferRange, ReferenceRange, LowerRange};

}  // namespace ferry::ops
