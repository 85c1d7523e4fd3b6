#include "tools/conformance/golden.h"

#include <algorithm>
#include <cmath>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/formats/onnx.h"
#include "tools/npy/npz.h"

namespace ferry::conformance {
namespace {

using engine::IoInfo;
using tensor::DType;
using tensor::NamedTensor;
using tensor::Tensor;

constexpr std::string_view kPrefix = "real-models/";

double NumberAt(const Tensor& tensor, int64_t i) {
  return tensor::IsFloat(tensor.dtype()) ? tensor.Number(i)
                                         : static_cast<double>(tensor.Integer(i));
}

// Classes (of ImageNet's 1000) that the pictures show.
struct Known {
  std::string_view name;
  std::vector<int64_t> classes;
};
const std::vector<Known>& KnownClasses() {
  static const auto& known =
      *new std::vector<Known>{{"shufflenet_v2_int8_cat", {281, 285}},  // tabby, Egyptian cat
                              {"shufflenet_v2_int8_parrot", {88}},     // macaw
                              {"shufflenet_v2_int8_hot_dog", {934}}};
  return known;
}

bool IsInt8(std::string_view name) {
  return name.find("_int8") != std::string_view::npos;
}

Result<Json> ReadIndex(const std::string& directory) {
  const std::string path = sys::JoinPath(directory, "golden/INDEX.json");
  FERRY_ASSIGN_OR_RETURN(const Bytes text,
                         sys::ReadFile(sys::SystemFileSystem(), path, kMaxJsonBytes));
  FERRY_ASSIGN_OR_RETURN(Json index, ParseJson(AsText(text)).Context("{}", path));
  if (!index.is_array()) return Status::Of(Code::kMalformed, "{} is no array", path);
  return index;
}

Result<std::string> ModelPath(const Case& c, std::string_view name) {
  FERRY_ASSIGN_OR_RETURN(const Json index, ReadIndex(c.folder));
  for (const Json& row : index) {
    FERRY_ASSIGN_OR_RETURN(const std::string row_name, GetString(row, "name"));
    if (row_name != name) continue;
    FERRY_ASSIGN_OR_RETURN(const std::string model, GetString(row, "model"));
    return sys::JoinPath(c.folder, model);
  }
  return Status::Of(Code::kNotFound, "no model '{}'", name);
}

Status CheckOutput(std::string_view name, const NamedTensor& got, const Tensor& want) {
  FERRY_ASSIGN_OR_RETURN(const GoldenError error, MeasureError(got.tensor, want));
  for (const Known& known : KnownClasses()) {
    if (known.name != name || std::ranges::find(known.classes, error.top1) != known.classes.end()) {
      continue;
    }
    return Status::Of(Code::kFailedPrecondition, "class {}, which the picture does not show",
                      error.top1);
  }
  if (IsInt8(name)) {
    if (error.same_top1) return OkStatus();
    return Status::Of(Code::kFailedPrecondition, "class {} instead of the golden one", error.top1);
  }
  if (error.Relative() <= kGoldenTolerance) return OkStatus();
  return Status::Of(Code::kFailedPrecondition, "error {:.3g} where the largest value is {:.3g}",
                    error.largest, error.reference);
}

}  // namespace

Result<Tensor> FitInput(const IoInfo& input, Tensor tensor) {
  const bool is_other_rank =
      input.has_shape && static_cast<int>(input.dims.size()) != tensor.shape().rank();
  if (is_other_rank && tensor.elements() == 1) {
    std::vector<int64_t> dims = input.dims;
    std::ranges::replace(dims, -1, 1);
    FERRY_ASSIGN_OR_RETURN(const tensor::Shape shape, tensor::Shape::Make(dims));
    if (shape.elements() == 1) {
      FERRY_ASSIGN_OR_RETURN(tensor, tensor.Reshaped(shape));
    }
  }
  const bool is_only_ours = input.dtype == DType::kBF16 || input.dtype >= DType::kF8E4M3FN;
  if (!is_only_ours || tensor.dtype() == input.dtype || tensor.dtype() == DType::kString) {
    return tensor;
  }
  FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(input.dtype, tensor.shape()));
  for (int64_t i = 0; i < out.elements(); ++i) out.SetNumber(i, tensor.Number(i));
  return out;
}

Result<std::vector<NamedTensor>> GoldenOf(std::span<const NamedTensor> arrays,
                                          std::span<const IoInfo> ios, std::string_view prefix) {
  std::vector<NamedTensor> out;
  for (size_t i = 0; i < ios.size(); ++i) {
    // Names of arrays are names of files: "/" may have become something else.
    const std::string numbered = fmt::format("{}_{}__", prefix, i);
    auto array = std::ranges::find(arrays, ios[i].name, &NamedTensor::name);
    if (array == arrays.end()) {
      array = std::ranges::find_if(
          arrays, [&](const NamedTensor& a) { return a.name.starts_with(numbered); });
    }
    if (array == arrays.end()) {
      return Status::Of(Code::kNotFound, "no array '{}' or '{}{}'", ios[i].name, numbered,
                        ios[i].name);
    }
    out.push_back({ios[i].name, array->tensor});
  }
  return out;
}

Result<GoldenError> MeasureError(const Tensor& got, const Tensor& want) {
  if (got.dtype() != want.dtype() || !(got.shape() == want.shape())) {
    return Status::Of(Code::kShapeMismatch, "{}, the golden one is {}", got.TypeText(),
                      want.TypeText());
  }
  GoldenError error;
  int64_t first = 0;  // of `want`
  for (int64_t i = 0; i < want.elements(); ++i) {
    if (want.dtype() == DType::kString) {
      if (got.Text(i) == want.Text(i)) continue;
      ++error.different;
      error.largest = INFINITY;
      continue;
    }
    const double a = NumberAt(got, i), b = NumberAt(want, i);
    if (a > NumberAt(got, error.top1)) error.top1 = i;
    if (b > NumberAt(want, first)) first = i;
    if (std::isfinite(b)) error.reference = std::max(error.reference, std::abs(b));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    ++error.different;
    const double difference = std::abs(a - b);
    error.largest = std::isnan(difference) ? INFINITY : std::max(error.largest, difference);
  }
  error.same_top1 = error.top1 == first;
  return error;
}

Result<std::vector<Case>> FindGoldenCases(const std::string& directory) {
  FERRY_ASSIGN_OR_RETURN(const Json index, ReadIndex(directory));
  std::vector<Case> cases;
  for (const Json& row : index) {
    FERRY_ASSIGN_OR_RETURN(const std::string name, GetString(row, "name"));
    FERRY_ASSIGN_OR_RETURN(const std::string model, GetString(row, "model"));
    if (model.ends_with(".onnx")) cases.push_back({std::string(kPrefix) + name, directory});
  }
  std::ranges::sort(cases, {}, &Case::name);
  return cases;
}

Status RunGoldenCase(const Case& c, const RunOptions& options) {
  const std::string name = c.name.substr(kPrefix.size());
  FERRY_ASSIGN_OR_RETURN(const std::string path, ModelPath(c, name));
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, formats::ImportOnnxFile(sys::SystemFileSystem(), path));
  FERRY_ASSIGN_OR_RETURN(const auto model, engine::Model::FromGraph(std::move(graph)));
  FERRY_ASSIGN_OR_RETURN(const auto npz, sys::SystemFileSystem().Map(
                                             sys::JoinPath(c.folder, "golden/" + name + ".npz")));
  FERRY_ASSIGN_OR_RETURN(const auto arrays, npy::ReadNpz(npz->bytes()));
  FERRY_ASSIGN_OR_RETURN(auto inputs, GoldenOf(arrays, model->inputs(), "in"));
  for (size_t i = 0; i < inputs.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(inputs[i].tensor,
                           FitInput(model->inputs()[i], std::move(inputs[i].tensor)));
  }
  FERRY_ASSIGN_OR_RETURN(const auto want, GoldenOf(arrays, model->outputs(), "out"));
  engine::SessionOptions session_options;
  session_options.isa = options.isa;
  FERRY_ASSIGN_OR_RETURN(const auto session, engine::Session::Create(model, session_options));
  FERRY_ASSIGN_OR_RETURN(const auto got, session->Run(inputs));
  for (size_t i = 0; i < want.size(); ++i) {
    FERRY_TRY(CheckOutput(name, got[i], want[i].tensor).Context("output '{}'", got[i].name));
  }
  return OkStatus();
}

}  // namespace ferry::conformance
