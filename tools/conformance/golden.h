// Whole networks against recorded inputs and outputs: .npz files of arrays, and the folder of real
// models whose golden/INDEX.json says what belongs together. The layout is that of
// shared/testdata/real-models.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device-runtime/engine/engine.h"
#include "tools/conformance/suite.h"

namespace ferry::conformance {

// `tensor` as the input wants it: types that NumPy lacks are made from wider ones, and a lone
// element fits any rank (recorders write scalars as [1]).
Result<tensor::Tensor> FitInput(const engine::IoInfo& input, tensor::Tensor tensor);

// The arrays of a golden file that stand for the model's inputs or outputs, in the model's order:
// named as they are, or "in_0__NAME" ("out_0__NAME"). kNotFound names one that is missing.
Result<std::vector<tensor::NamedTensor>> GoldenOf(std::span<const tensor::NamedTensor> arrays,
                                                  std::span<const engine::IoInfo> ios,
                                                  std::string_view prefix);

// How far an output is from the golden one.
struct GoldenError {
  double largest = 0;    // |got - want|; NaN on one side only counts as infinity
  double reference = 0;  // max |want| that is finite
  int64_t different = 0;
  int64_t top1 = 0;  // where the largest of `got` is
  bool same_top1 = true;

  // Of the largest golden magnitude; absolute where that is 0.
  double Relative() const { return reference > 0 ? largest / reference : largest; }
};
// kShapeMismatch for other types or shapes.
Result<GoldenError> MeasureError(const tensor::Tensor& got, const tensor::Tensor& want);

inline constexpr double kGoldenTolerance = 1e-3;

// The models below `directory` by golden/INDEX.json; each case's name is "real-models/NAME".
// kMalformed, kNotFound.
Result<std::vector<Case>> FindGoldenCases(const std::string& directory);

// Runs one of them: outputs within kGoldenTolerance and the same top-1; int8 classifiers, whose
// numbers differ between machines, the same top-1 only. Images whose class is known get that class.
Status RunGoldenCase(const Case& c, const RunOptions& options);

}  // namespace ferry::conformance
