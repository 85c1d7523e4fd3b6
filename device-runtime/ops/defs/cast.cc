// Cast (ONNX): attribute `to` is an ONNX type number. Floats to integers truncate and saturate (to
// those of 2 and 4 bits: wrap), integers to narrower ones keep their low bits; numbers to text and
// back as number_text.h says.
#include <cmath>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/number_text.h"
#include "device-runtime/ops/shared/places/index.h"
#include "device-runtime/tensor/minifloat.h"

namespace ferry::ops {
namespace {

using tensor::MiniRounding;

struct CastPlan {
  DType to;
  bool saturate;
  MiniRounding rounding;
};

// Before opset 6 `to` was a name.
Result<DType> TargetOf(const NodeContext& c) {
  if (c.node().Find<std::string>("to") == nullptr) {
    FERRY_ASSIGN_OR_RETURN(int64_t to, c.Int("to", 0));
    return DTypeOfOnnx(to);
  }
  static constexpr std::pair<std::string_view, DType> kNames[] = {
      {"FLOAT", DType::kF32},   {"UINT8", DType::kU8},      {"INT8", DType::kI8},
      {"UINT16", DType::kU16},  {"INT16", DType::kI16},     {"INT32", DType::kI32},
      {"INT64", DType::kI64},   {"STRING", DType::kString}, {"BOOL", DType::kBool},
      {"FLOAT16", DType::kF16}, {"DOUBLE", DType::kF64},    {"UINT32", DType::kU32},
      {"UINT64", DType::kU64},
  };
  FERRY_ASSIGN_OR_RETURN(std::string to, c.Text("to", ""));
  for (const auto& [name, dtype] : kNames) {
    if (name == to) return dtype;
  }
  return Status::Of(Code::kUnsupported, "ONNX type '{}'", to);
}

Result<CastPlan> CastPlanOf(const NodeContext& c) {
  FERRY_ASSIGN_OR_RETURN(const DType to, TargetOf(c));
  FERRY_ASSIGN_OR_RETURN(const int64_t saturate, c.Int("saturate", 1));
  FERRY_ASSIGN_OR_RETURN(const std::string mode, c.Text("round_mode", "up"));
  CastPlan plan{to, saturate != 0, MiniRounding::kNearestEven};
  if (to != DType::kF8E8M0) return plan;
  if (mode != "up" && mode != "down" && mode != "nearest") {
    return Status::Of(Code::kBadModel, "round_mode '{}'", mode);
  }
  if (mode != "nearest") plan.rounding = mode == "up" ? MiniRounding::kUp : MiniRounding::kDown;
  return plan;
}

Status InferCast(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(const CastPlan plan, CastPlanOf(c));
  c.SetOutput(0, plan.to, c.InputShape(0));
  return OkStatus();
}

bool IsMini(DType d) {
  return d >= DType::kF8E4M3FN && d <= DType::kF4E2M1;
}

void CastNumbers(const CastPlan& plan, const Tensor& x, Tensor& y) {
  const bool from_float = tensor::IsFloat(x.dtype());
  const bool to_float = tensor::IsFloat(y.dtype());
  for (int64_t i = 0; i < x.elements(); ++i) {
    if (!from_float && !to_float) {
      y.SetInteger(i, x.Integer(i));
    } else if (IsMini(y.dtype())) {
      y.mutable_raw()[i] = tensor::FloatToMini(y.dtype(), static_cast<float>(x.Number(i)),
                                               plan.saturate, plan.rounding);
    } else if (from_float && tensor::IsInteger(y.dtype()) && tensor::IntegerBits(y.dtype()) < 8) {
      // As NumPy does it: not finite is 0, the rest keeps its low bits.
      const double value = x.Number(i);
      const bool fits = std::abs(value) < 0x1p62;
      y.SetInteger(i, fits ? static_cast<int64_t>(value) : 0);
    } else if (x.dtype() == DType::kI64 && y.dtype() == DType::kF32) {  // rounds once
      y.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(x.Integer(i));
    } else if (x.dtype() == DType::kU64 && y.dtype() == DType::kF32) {
      y.mutable_data<float>()[static_cast<size_t>(i)] =
          static_cast<float>(static_cast<uint64_t>(x.Integer(i)));
    } else {
      y.SetNumber(i, x.Number(i));
    }
  }
}

Status ReferenceCast(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const CastPlan plan, CastPlanOf(c));
  const Tensor& x = c.In(0);
  Tensor& y = c.Out(0);
  if (y.dtype() == x.dtype()) {
    CopyAll(x, y);
  } else if (y.dtype() == DType::kString) {
    for (int64_t i = 0; i < x.elements(); ++i) y.SetText(i, c.strings().Add(TextOfNumber(x, i)));
  } else if (x.dtype() == DType::kString) {
    for (int64_t i = 0; i < x.elements(); ++i) FERRY_TRY(StoreText(x.Text(i), y, i));
  } else {
    CastNumbers(plan, x, y);
  }
  return OkStatus();
}

// Whether only the reference rounds as the node asks: texts, and narrow floats not as usual.
bool IsHost(const CastPlan& plan, DType from) {
  if (from == DType::kString || plan.to == DType::kString) return from != plan.to;
  return IsMini(plan.to) && (!plan.saturate || plan.rounding != MiniRounding::kNearestEven);
}

Status LowerCast(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const CastPlan plan, CastPlanOf(c));
  const DType from = c.Input(0).dtype;
  const DType to = plan.to;
  if (from == to) {
    const Layout layout = c.IsChannelsLast(0) ? Layout::kChannelsLast : Layout::kPlain;
    c.Alias(0, c.In(0, layout), layout);
    return OkStatus();
  }
  if (IsHost(plan, from)) {
    c.EmitHost();
    return OkStatus();
  }
  MapBuilder map(c, c.OutputShape(0));
  MapBuilder::Value x = map.Input(0);
  if (to == DType::kBool) {
    x = map.Convert(map.Not(map.Call("Equal", x, map.Number(x, 0))), ir::MapType::kI32);
  } else if (tensor::IsFloat(from) && tensor::IsInteger(to) && tensor::IntegerBits(to) < 8) {
    // As NumPy does it: not finite is 0, the rest keeps its low bits.
    const auto fits = map.Call("Less", map.Call("Abs", x), map.Number(x, 0x1p62));
    x = map.Convert(map.Call("Select", fits, x, map.Number(x, 0)), ir::MapType::kI64);
    x = map.Convert(map.Call("And", x, map.Integer(x.type, 15)), ir::MapType::kI32);
  } else {
    x = map.Narrow(x, to);
  }
  map.Output(0, x);
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kCastOp;
const Op kCastOp = {"Cast", 1, 1, 1, 1, InferCast, ReferenceCast, LowerCast};

}  // namespace ferry::ops
