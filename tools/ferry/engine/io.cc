#include "tools/ferry/engine/io.h"

#include <algorithm>
#include <charconv>

#include <fmt/ranges.h>

#include "common/sys/filesystem.h"
#include "common/sys/random.h"
#include "tools/conformance/golden.h"
#include "tools/ferry/local/given_file.h"
#include "tools/ferry/local/models.h"
#include "tools/npy/npy.h"

namespace ferry::cli {
namespace {

using engine::DType;
using engine::IoInfo;
using engine::NamedTensor;
using engine::Tensor;

constexpr size_t kMaxFileName = 100;

const IoInfo* FindInput(const engine::Model& model, const std::string& name) {
  const auto at = std::ranges::find(model.inputs(), name, &IoInfo::name);
  return at == model.inputs().end() ? nullptr : &*at;
}

Result<Tensor> RandomTensor(const IoInfo& input, const engine::Shape& shape, sys::Random& random) {
  FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Zeros(input.dtype, shape));
  if (input.dtype == DType::kString) return out;  // empty texts
  const bool is_byte = input.dtype == DType::kU8 || input.dtype == DType::kI8;
  for (int64_t i = 0; i < out.elements(); ++i) {
    if (tensor::IsFloat(input.dtype)) {
      out.SetNumber(i, 2 * random.NextDouble() - 1);
    } else {
      out.SetInteger(i, static_cast<int64_t>(random.Below(is_byte ? 256 : 2)));
    }
  }
  return out;
}

Result<engine::Shape> ShapeFor(const IoInfo& input, const InputShapes& shapes) {
  std::vector<int64_t> dims = input.dims;
  std::ranges::replace(dims, -1, 1);
  if (const auto wish = shapes.find(input.name); wish != shapes.end()) {
    dims = wish->second;
  } else if (!input.has_shape) {
    return Status::Of(Code::kInvalidArgument, "input '{}' has no shape: give --shape {}=...",
                      input.name, input.name);
  }
  return engine::Shape::Make(dims);
}

// What the model takes and `given` has not, each as InputText.
std::vector<std::string> InputTexts(const engine::Model& model,
                                    const std::vector<NamedTensor>& given) {
  std::vector<std::string> texts;
  for (const IoInfo& input : model.inputs()) {
    const bool there = std::ranges::find(given, input.name, &NamedTensor::name) != given.end();
    if (!there && !input.kind.starts_with("optional")) texts.push_back(InputText(input));
  }
  return texts;
}

}  // namespace

Result<NamedTensor> ReadNamedInput(const engine::Model& model, const std::string& text,
                                   const InputShapes& shapes, const PictureOptions& picture) {
  const size_t equals = text.find('=');
  const bool named = equals != std::string::npos;
  const std::string name =
      named ? text.substr(0, equals) : (model.inputs().size() == 1 ? model.inputs()[0].name : "");
  const IoInfo* input = FindInput(model, name);
  if (input == nullptr) {
    return Status::Of(Code::kInvalidArgument,
                      "--input \"{}\": the model has no input \"{}\", but {}", text, name,
                      fmt::join(InputTexts(model, {}), ", "));
  }
  const std::string file = named ? text.substr(equals + 1) : text;
  FERRY_TRY(CheckGiven(file));
  if (file.ends_with(".json")) {
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, ReadInput(*input, file));
    return NamedTensor{name, std::move(tensor)};
  }
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(sys::SystemFileSystem(), file));
  if (IsPicture(file, bytes)) {
    std::vector<int64_t> dims = input->dims;
    if (const auto wish = shapes.find(name); wish != shapes.end()) dims = wish->second;
    FERRY_ASSIGN_OR_RETURN(Tensor tensor,
                           PictureTensor(*input, dims, bytes, picture).Context("{}", file));
    return NamedTensor{name, std::move(tensor)};
  }
  if (!file.ends_with(".npy")) {
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, ReadInput(*input, file));
    return NamedTensor{name, std::move(tensor)};
  }
  FERRY_ASSIGN_OR_RETURN(Tensor tensor, npy::ReadNpy(bytes).Context("{}", file));
  FERRY_ASSIGN_OR_RETURN(tensor, conformance::FitInput(*input, std::move(tensor)));
  return NamedTensor{name, std::move(tensor)};
}

std::string InputText(const IoInfo& input) {
  std::vector<std::string> dims;
  for (size_t i = 0; i < input.dims.size(); ++i) {
    const bool named = i < input.symbols.size() && !input.symbols[i].empty();
    dims.push_back(input.dims[i] >= 0 ? std::to_string(input.dims[i])
                                      : (named ? input.symbols[i] : "?"));
  }
  return fmt::format(
      "{} {}{}{}", input.name, input.kind.empty() ? "" : input.kind + " of ",
      tensor::DTypeName(input.dtype),
      input.has_shape ? fmt::format(" [{}]", fmt::join(dims, ",")) : " of any shape");
}

Status CheckInputsGiven(const engine::Model& model, const std::vector<NamedTensor>& given) {
  const std::vector<std::string> missing = InputTexts(model, given);
  if (missing.empty()) return OkStatus();
  const auto first = std::ranges::find_if(
      model.inputs(), [&](const IoInfo& input) { return InputText(input) == missing[0]; });
  return Status::Of(Code::kInvalidArgument,
                    "input{} missing: {}; give --input {}=FILE (.npy, .json, a picture or raw "
                    "elements), or --seed 1 "
                    "for random numbers",
                    missing.size() == 1 ? " is" : "s are", fmt::join(missing, ", "), first->name);
}

Result<std::vector<NamedTensor>> FillInputs(const engine::Model& model,
                                            std::vector<NamedTensor> given,
                                            const InputShapes& shapes, uint64_t seed) {
  for (const auto& [name, dims] : shapes) {
    if (FindInput(model, name) == nullptr) {
      return Status::Of(Code::kInvalidArgument, "--shape: the model has no input \"{}\"", name);
    }
  }
  sys::SeededRandom random(seed);
  for (const IoInfo& input : model.inputs()) {
    if (std::ranges::find(given, input.name, &NamedTensor::name) != given.end()) continue;
    if (!input.kind.empty()) {
      return Status::Of(Code::kUnsupported, "input '{}' is of kind '{}', not a tensor", input.name,
                        input.kind);
    }
    FERRY_ASSIGN_OR_RETURN(const engine::Shape shape, ShapeFor(input, shapes));
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, RandomTensor(input, shape, random));
    given.push_back({input.name, std::move(tensor)});
  }
  return given;
}

Result<std::pair<std::string, std::vector<int64_t>>> ParseInputShape(const std::string& text) {
  const size_t equals = text.rfind('=');
  const Status bad =
      Status::Of(Code::kInvalidArgument, "--shape \"{}\": give it as NAME=1x3x224x224", text);
  if (equals == std::string::npos || equals == 0) return bad;
  std::vector<int64_t> dims;
  const char* at = text.data() + equals + 1;
  const char* const end = text.data() + text.size();
  while (at < end) {
    int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 0) return bad;
    dims.push_back(extent);
    if (next < end && (*next != 'x' || next + 1 == end)) return bad;
    at = next + 1;
  }
  return std::pair(text.substr(0, equals), std::move(dims));
}

Result<InputShapes> ParseInputShapes(const std::vector<std::string>& texts) {
  InputShapes shapes;
  for (const std::string& text : texts) {
    FERRY_ASSIGN_OR_RETURN(auto shape, ParseInputShape(text));
    shapes.insert(std::move(shape));
  }
  return shapes;
}

std::string FileNames::Of(const std::string& name) {
  std::string out;
  for (char c : name.substr(0, kMaxFileName)) {
    const bool is_safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    out.push_back(is_safe ? c : '_');
  }
  if (out.empty() || out[0] == '.') out.insert(out.begin(), '_');
  const int before = used_[out]++;
  return before == 0 ? out : Of(fmt::format("{}_{}", out, before + 1));
}

}  // namespace ferry::cli
