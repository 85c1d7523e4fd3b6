#include "tools/conformance/compare.h"

#include <cmath>
#include <cstring>

namespace ferry::conformance {
namespace {

using tensor::DType;
using tensor::Tensor;
using tensor::Value;

bool Close(double got, double want, Tolerance tolerance) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
  if (std::isinf(got) || std::isinf(want)) return got == want;
  return std::abs(got - want) <= tolerance.absolute + tolerance.relative * std::abs(want);
}

bool SameElement(const Tensor& got, const Tensor& want, int64_t at, Tolerance tolerance) {
  if (tensor::IsFloat(want.dtype())) return Close(got.Number(at), want.Number(at), tolerance);
  if (want.dtype() == DType::kString) return got.Text(at) == want.Text(at);
  return got.Integer(at) == want.Integer(at);
}

std::string ElementText(const Tensor& tensor, int64_t at) {
  if (tensor::IsFloat(tensor.dtype())) return fmt::format("{:.9g}", tensor.Number(at));
  if (tensor.dtype() == DType::kString) return fmt::format("'{:.40}'", tensor.Text(at));
  if (tensor.dtype() == DType::kU64) {
    return fmt::format("{}", static_cast<uint64_t>(tensor.Integer(at)));
  }
  return fmt::format("{}", tensor.Integer(at));
}

Status CheckTensor(const Tensor& got, const Tensor& want, Tolerance tolerance) {
  if (got.dtype() != want.dtype() || !(got.shape() == want.shape())) {
    return Status::Of(Code::kShapeMismatch, "{} instead of {}", got.TypeText(), want.TypeText());
  }
  int64_t first = -1, wrong = 0;
  for (int64_t i = 0; i < want.elements(); ++i) {
    if (SameElement(got, want, i, tolerance)) continue;
    if (first < 0) first = i;
    ++wrong;
  }
  if (wrong == 0) return OkStatus();
  return Status::Of(Code::kFailedPrecondition,
                    "{} of {} elements differ, first [{}]: {} instead of {}", wrong,
                    want.elements(), first, ElementText(got, first), ElementText(want, first));
}

}  // namespace

Status CheckValue(const Value& got, const Value& want, Tolerance tolerance) {
  if (got.IsTensor() && want.IsTensor()) return CheckTensor(got.tensor(), want.tensor(), tolerance);
  if (got.IsNothing() && want.IsNothing()) return OkStatus();
  if (!got.IsSequence() || !want.IsSequence() ||
      got.sequence().items.size() != want.sequence().items.size()) {
    return Status::Of(Code::kShapeMismatch, "{} instead of {}", got.TypeText(), want.TypeText());
  }
  for (size_t i = 0; i < want.sequence().items.size(); ++i) {
    FERRY_TRY(CheckValue(got.sequence().items[i], want.sequence().items[i], tolerance)
                  .Context("element {}", i));
  }
  return OkStatus();
}

}  // namespace ferry::conformance
