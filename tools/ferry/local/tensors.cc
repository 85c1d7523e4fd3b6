// Tensors from files and to JSON (models.h).
#include "common/sys/filesystem.h"
#include "tools/ferry/local/models.h"

namespace ferry::cli {
namespace {

constexpr size_t kMaxRank = 8;

// Shape of nested arrays by their first items; Fill finds rows of other lengths.
Result<std::vector<int64_t>> ShapeOf(const Json& json) {
  std::vector<int64_t> out;
  for (const Json* at = &json; at->is_array(); at = &at->front()) {
    if (at->empty() || out.size() == kMaxRank) {
      return Status::Of(Code::kInvalidArgument, "an empty or too deep array");
    }
    out.push_back(static_cast<int64_t>(at->size()));
  }
  return out;
}

Status Fill(const Json& json, std::span<const int64_t> dims, engine::Tensor& out, int64_t& next) {
  if (dims.empty()) {
    if (!json.is_number() && !json.is_boolean()) {
      return Status::Of(Code::kInvalidArgument, "element {} is no number", next);
    }
    out.SetNumber(next++, json.is_boolean() ? (json.get<bool>() ? 1 : 0) : json.get<double>());
    return OkStatus();
  }
  if (!json.is_array() || static_cast<int64_t>(json.size()) != dims.front()) {
    return Status::Of(Code::kShapeMismatch, "rows of different lengths near element {}", next);
  }
  for (const Json& item : json) FERRY_TRY(Fill(item, dims.subspan(1), out, next));
  return OkStatus();
}

// The input's dimensions with its one free dimension so that `elements` fit.
Result<std::vector<int64_t>> FillFree(const engine::IoInfo& input, int64_t elements) {
  std::vector<int64_t> dims = input.dims;
  int64_t fixed = 1;
  int free = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] >= 0) {
      fixed *= dims[i];
    } else if (free < 0) {
      free = static_cast<int>(i);
    } else {
      dims[i] = 1;
    }
  }
  if (free >= 0 && fixed > 0) dims[static_cast<size_t>(free)] = elements / fixed;
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  if (product == elements) return dims;
  return Status::Of(Code::kShapeMismatch, "{} elements do not fill input \"{}\"", elements,
                    input.name);
}

Result<engine::Tensor> Allocate(const engine::IoInfo& input, std::span<const int64_t> dims) {
  if (input.dtype == engine::DType::kString) {
    return Status::Of(Code::kUnsupported, "input \"{}\" is of texts: give a .npy file", input.name);
  }
  FERRY_ASSIGN_OR_RETURN(const engine::Shape shape, engine::Shape::Make(dims));
  return engine::Tensor::Allocate(input.dtype, shape);
}

Json Nested(const engine::Tensor& tensor, std::span<const int64_t> dims, int64_t& next) {
  if (dims.empty()) {
    if (tensor.dtype() == engine::DType::kString) return std::string(tensor.Text(next++));
    if (tensor::IsFloat(tensor.dtype())) return tensor.Number(next++);
    return tensor.Integer(next++);
  }
  Json out = Json::array();
  for (int64_t i = 0; i < dims.front(); ++i) out.push_back(Nested(tensor, dims.subspan(1), next));
  return out;
}

}  // namespace

Result<engine::Tensor> ReadInput(const engine::IoInfo& input, const std::string& file) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(sys::SystemFileSystem(), file));
  if (!file.ends_with(".json")) {
    const size_t size = tensor::DTypeSize(input.dtype);
    FERRY_ASSIGN_OR_RETURN(
        const std::vector<int64_t> dims,
        FillFree(input, static_cast<int64_t>(bytes.size() / size)).Context("{}", file));
    FERRY_ASSIGN_OR_RETURN(engine::Tensor out, Allocate(input, dims));
    std::copy_n(bytes.begin(), static_cast<size_t>(out.size_bytes()), out.mutable_raw());
    return out;
  }
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(bytes)).Context("{}", file));
  FERRY_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, ShapeOf(json).Context("{}", file));
  FERRY_ASSIGN_OR_RETURN(engine::Tensor out, Allocate(input, dims));
  int64_t next = 0;
  FERRY_TRY(Fill(json, dims, out, next).Context("{}", file));
  return out;
}

Json TensorToJson(const engine::Tensor& tensor) {
  int64_t next = 0;
  return Nested(tensor, tensor.shape().dims(), next);
}

Json ValueToJson(const tensor::Value& value) {
  if (value.IsTensor()) return TensorToJson(value.tensor());
  if (value.IsNothing()) return nullptr;
  Json out = Json::array();
  for (const tensor::Value& item : value.sequence().items) out.push_back(ValueToJson(item));
  return out;
}

}  // namespace ferry::cli
