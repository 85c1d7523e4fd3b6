// DFT (ONNX): the discrete Fourier transform along an axis; the last axis holds real and imaginary
// parts. Inverse and one-sided at once: half a spectrum to a real signal.
#include <algorithm>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/fourier.h"

namespace ferry::ops {
namespace {

struct Transform {
  int axis = 0;
  int64_t length = 0;  // of the signal
  bool inverse = false;
  bool half = false;  // one-sided
  Shape out;
};

Result<int> TransformAxis(const NodeContext& c, int rank) {
  int64_t axis = c.version() < 20 ? 1 : -2;
  if (c.HasInput(2)) {
    FERRY_ASSIGN_OR_RETURN(IntList given, c.IntsInput(2, "axis"));
    if (given->size() != 1) return Status(Code::kShapeMismatch, "the axis is not one number");
    axis = given->front();
  } else if (c.version() < 20) {
    FERRY_ASSIGN_OR_RETURN(axis, c.Int("axis", axis));
  }
  FERRY_ASSIGN_OR_RETURN(int normalised, tensor::NormalizeAxis(axis, rank));
  if (normalised < rank - 1) return normalised;
  return Status(Code::kShapeMismatch, "the last axis holds the parts of numbers");
}

Result<Transform> TransformOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  if (x.rank() < 2 || x[x.rank() - 1] < 1 || x[x.rank() - 1] > 2 ||
      !tensor::IsFloat(c.Input(0).dtype)) {
    return Status::Of(Code::kShapeMismatch, "{} {} holds no signals",
                      tensor::DTypeName(c.Input(0).dtype), x.ToString());
  }
  Transform t;
  FERRY_ASSIGN_OR_RETURN(t.axis, TransformAxis(c, x.rank()));
  FERRY_ASSIGN_OR_RETURN(int64_t inverse, c.Int("inverse", 0));
  FERRY_ASSIGN_OR_RETURN(int64_t half, c.Int("onesided", 0));
  t.inverse = inverse != 0;
  t.half = half != 0;
  t.length = t.inverse && t.half ? 2 * (x[t.axis] - 1) : x[t.axis];
  if (c.HasInput(1)) {
    FERRY_ASSIGN_OR_RETURN(IntList given, c.IntsInput(1, "dft_length"));
    if (given->size() != 1) return Status(Code::kShapeMismatch, "dft_length is not one number");
    t.length = given->front();
  }
  FERRY_TRY(CheckFourier(t.length));
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims[static_cast<size_t>(t.axis)] = t.half && !t.inverse ? t.length / 2 + 1 : t.length;
  dims.back() = t.half && t.inverse ? 1 : 2;
  FERRY_ASSIGN_OR_RETURN(t.out, Shape::Make(dims));
  return t;
}

Status InferDft(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Transform t, TransformOf(c));
  c.SetOutput(0, c.Input(0).dtype, t.out);
  return OkStatus();
}

// A real signal's spectrum from its first half.
template <typename T>
void Mirror(std::vector<std::complex<T>>& spectrum) {
  const size_t n = spectrum.size();
  spectrum[0] = spectrum[0].real();
  for (size_t k = n / 2 + 1; k < n; ++k) spectrum[k] = std::conj(spectrum[n - k]);
  if (n % 2 == 0) spectrum[n / 2] = spectrum[n / 2].real();
}

template <typename T>
void TransformLines(const Tensor& x, Tensor& out, const Transform& t) {
  const int rank = x.shape().rank();
  const int64_t extent = x.shape()[t.axis];
  const int64_t inner = x.shape().Product(t.axis + 1, rank - 1);
  const int64_t parts = x.shape()[rank - 1];
  const int64_t out_parts = out.shape()[rank - 1];
  const int64_t bins = out.shape()[t.axis];
  const int64_t read = std::min(extent, t.inverse && t.half ? t.length / 2 + 1 : t.length);
  Fourier<T> fourier(t.length, t.inverse);
  const auto scale = static_cast<T>(t.inverse ? 1 / static_cast<double>(t.length) : 1);
  std::vector<std::complex<T>> signal;
  for (int64_t line = 0; line < x.shape().Product(0, t.axis) * inner; ++line) {
    signal.assign(static_cast<size_t>(t.length), 0);
    for (int64_t i = 0; i < read; ++i) {
      const int64_t at = ((line / inner * extent + i) * inner + line % inner) * parts;
      signal[static_cast<size_t>(i)] = {static_cast<T>(x.Number(at)),
                                        parts == 2 ? static_cast<T>(x.Number(at + 1)) : T{0}};
    }
    if (t.inverse && t.half) Mirror(signal);
    fourier.Run(signal);
    for (int64_t i = 0; i < bins; ++i) {
      const int64_t at = ((line / inner * bins + i) * inner + line % inner) * out_parts;
      out.SetNumber(at, signal[static_cast<size_t>(i)].real() * scale);
      if (out_parts == 2) out.SetNumber(at + 1, signal[static_cast<size_t>(i)].imag() * scale);
    }
  }
}

Status ReferenceDft(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Transform t, TransformOf(c));
  if (c.Out(0).elements() == 0) return OkStatus();
  // Where complex terms cancel, ONNX's own results hold the rounding of the signal's precision.
  const bool is_complex = c.InputShape(0)[c.InputShape(0).rank() - 1] == 2 && !t.half;
  if (is_complex && c.Input(0).dtype == DType::kF32) {
    TransformLines<float>(c.In(0), c.Out(0), t);
  } else {
    TransformLines<double>(c.In(0), c.Out(0), t);
  }
  return OkStatus();
}

Status LowerDft(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(Transform t, TransformOf(c));
  c.ComputeInFloat();
  const Shape& x = c.InputShape(0);
  const int rank = x.rank();
  ir::FourierPrim prim;
  prim.outer = x.Product(0, t.axis);
  prim.size = x[t.axis];
  prim.inner = x.Product(t.axis + 1, rank - 1);
  prim.length = t.length;
  prim.bins = t.out[t.axis];
  prim.parts = static_cast<int>(x[rank - 1]);
  prim.out_parts = static_cast<int>(t.out[rank - 1]);
  prim.inverse = t.inverse;
  prim.half = t.inverse && t.half;
  prim.exact = prim.parts == 1 || t.half || c.Input(0).dtype != DType::kF32;
  const BufferId in = c.In(0);
  c.Emit(prim, {in}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kDFTOp;
const Op kDFTOp = {.name = "DFT",
                   .min_inputs = 1,
                   .max_inputs = 3,
                   .min_outputs = 1,
                   .max_outputs = 1,
                   .infer = InferDft,
                   .reference = ReferenceDft,
                   .lower = LowerDft};

}  // namespace ferry::ops
