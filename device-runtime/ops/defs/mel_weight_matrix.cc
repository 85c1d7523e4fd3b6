// MelWeightMatrix (ONNX): triangles, evenly spread over the mel scale, that turn a spectrum of
// dft_length / 2 + 1 bins into mel bins.
#include <cmath>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/cosine_window.h"

namespace ferry::ops {
namespace {

Result<double> KnownNumber(const NodeContext& c, int i) {
  FERRY_ASSIGN_OR_RETURN(const Tensor* x, c.KnownInput(i));
  if (x->elements() == 1 && x->dtype() != DType::kString) return x->Number(0);
  return Status::Of(Code::kShapeMismatch, "input {} is {}, not one number", i, x->TypeText());
}

// The spectrum's bins at the corners of the triangles.
Result<std::vector<int64_t>> Corners(const NodeContext& c, int64_t mel_bins, int64_t length) {
  FERRY_ASSIGN_OR_RETURN(double rate, KnownNumber(c, 2));
  FERRY_ASSIGN_OR_RETURN(double low, KnownNumber(c, 3));
  FERRY_ASSIGN_OR_RETURN(double high, KnownNumber(c, 4));
  if (!(rate > 0) || !(low >= 0) || !(high >= low)) {
    return Status::Of(Code::kShapeMismatch, "{} to {} Hz at a rate of {}", low, high, rate);
  }
  const double low_mel = 2595 * std::log10(1 + low / 700);
  const double high_mel = 2595 * std::log10(1 + high / 700);
  const double step = (high_mel - low_mel) / static_cast<double>(mel_bins + 2);
  std::vector<int64_t> corners;
  for (int64_t i = 0; i < mel_bins + 2; ++i) {
    const double mel = static_cast<double>(i) * step + low_mel;
    const double hertz = 700 * (std::pow(10, mel / 2595) - 1);
    const double bin = std::floor(static_cast<double>(length + 1) * hertz / rate);
    if (!(bin >= 0) || bin > static_cast<double>(length / 2)) {
      return Status::Of(Code::kShapeMismatch, "{} Hz is outside the spectrum", hertz);
    }
    corners.push_back(static_cast<int64_t>(bin));
  }
  return corners;
}

Status ExpandMelWeightMatrix(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(int64_t number, c.Int("output_datatype", OnnxOfDType(DType::kF32)));
  FERRY_ASSIGN_OR_RETURN(DType dtype, DTypeOfOnnx(number));
  if (dtype == DType::kString) return Status(Code::kShapeMismatch, "weights of texts");
  FERRY_ASSIGN_OR_RETURN(int64_t mel_bins, KnownCount(c, 0, 0, 1 << 12));
  FERRY_ASSIGN_OR_RETURN(int64_t length, KnownCount(c, 1, 0, 1 << 20));
  const int64_t bins = length / 2 + 1;
  if (mel_bins * bins > kMaxWindowSize) {
    return Status::Of(Code::kLimitExceeded, "{} times {} weights", bins, mel_bins);
  }
  FERRY_ASSIGN_OR_RETURN(auto corners, Corners(c, mel_bins, length));
  FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Zeros(dtype, {bins, mel_bins}));
  for (int64_t i = 0; i < mel_bins; ++i) {
    const int64_t left = corners[static_cast<size_t>(i)];
    const int64_t top = corners[static_cast<size_t>(i) + 1];
    const int64_t right = corners[static_cast<size_t>(i) + 2];
    if (left == top) out.SetNumber(top * mel_bins + i, 1);
    for (int64_t j = left; left < top && j <= top; ++j) {
      out.SetNumber(j * mel_bins + i,
                    static_cast<double>(j - left) / static_cast<double>(top - left));
    }
    for (int64_t j = top; j < right; ++j) {
      out.SetNumber(j * mel_bins + i,
                    static_cast<double>(right - j) / static_cast<double>(right - top));
    }
  }
  c.SetOutput(0, c.Constant(std::move(out)));
  return OkStatus();
}

}  // namespace

extern const Op kMelWeightMatrixOp;
const Op kMelWeightMatrixOp = {.name = "MelWeightMatrix",
                               .min_inputs = 5,
                               .max_inputs = 5,
                               .min_outputs = 1,
                               .max_outputs = 1,
                               .expand = ExpandMelWeightMatrix};

}  // namespace ferry::ops
