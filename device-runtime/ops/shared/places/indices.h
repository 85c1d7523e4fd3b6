// Indices that come as tensors, and updates that are written at them.
#pragma once

#include "device-runtime/ops/shared/numbers/exact.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {

// kShapeMismatch unless input `i` is i64 or i32.
inline Status CheckIndices(const NodeContext& c, int i) {
  const DType d = c.Input(i).dtype;
  if (d == DType::kI64 || d == DType::kI32) return OkStatus();
  return Status::Of(Code::kShapeMismatch, "indices must be i64 or i32, not {}",
                    tensor::DTypeName(d));
}

// Element `at` of `indices` in [0, extent); negative ones count from the end. kInvalidArgument when
// it is outside.
inline Result<int64_t> IndexAt(const Tensor& indices, int64_t at, int64_t extent) {
  const int64_t index = indices.Integer(at);
  if (index >= -extent && index < extent) return index < 0 ? index + extent : index;
  return Status::Of(Code::kInvalidArgument, "index {} is outside an extent of {}", index, extent);
}

// What happens to an element that is written: it is replaced, or combined with the update.
enum class Reduction : uint8_t { kNone, kAdd, kMul, kMax, kMin };

// Attribute `reduction` for the dtype of input 0.
inline Result<Reduction> ReductionOf(const NodeContext& c) {
  static constexpr std::pair<std::string_view, Reduction> kNames[] = {
      {"none", Reduction::kNone}, {"add", Reduction::kAdd}, {"mul", Reduction::kMul},
      {"max", Reduction::kMax},   {"min", Reduction::kMin},
  };
  FERRY_ASSIGN_OR_RETURN(const std::string name, c.Text("reduction", "none"));
  for (const auto& [known, reduction] : kNames) {
    if (known != name) continue;
    if (reduction != Reduction::kNone) FERRY_TRY(CheckKinds(c, 0, Kinds::NumberOrBool));
    return reduction;
  }
  return Status::Of(Code::kBadModel, "reduction '{}'", name);
}

// Writes element `from` of `updates` to element `to` of `data` (of the same dtype).
inline void Update(Reduction reduction, const Tensor& updates, int64_t from, Tensor& data,
                   int64_t to) {
  if (reduction == Reduction::kNone) return CopyElement(updates, from, data, to);
  WithExact(data.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T old = Get<T>(data, to);
    const T update = Get<T>(updates, from);
    switch (reduction) {
      case Reduction::kAdd:
        return Put<T>(data, to, Plus(old, update));
      case Reduction::kMul:
        return Put<T>(data, to, Times(old, update));
      case Reduction::kMax:
        return Put<T>(data, to, Larger(old, update));
      default:
        return Put<T>(data, to, Smaller(old, update));
    }
  });
}

}  // namespace ferry::ops
