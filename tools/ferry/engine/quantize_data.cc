// Calibration data.
#include <algorithm>
#include <cstring>
#include <map>

#include "common/sys/filesystem.h"
#include "common/sys/random.h"
#include "tools/conformance/golden.h"
#include "tools/ferry/engine/io.h"
#include "tools/ferry/engine/quantize.h"
#include "tools/npy/npy.h"
#include "tools/npy/npz.h"

namespace ferry::cli {
namespace {

using engine::IoInfo;
using engine::NamedTensor;
using engine::Tensor;
using tensor::DType;
using tensor::Shape;

// An array in the input's dtype: numbers of other types are converted, texts are not.
Result<Tensor> Converted(const IoInfo& input, Tensor array) {
  if (array.dtype() == input.dtype) return array;
  if (array.dtype() == DType::kString || input.dtype == DType::kString) {
    return Status::Of(Code::kShapeMismatch, "it is {}, the input {}", DTypeName(array.dtype()),
                      DTypeName(input.dtype));
  }
  FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(input.dtype, array.shape()));
  for (int64_t i = 0; i < array.elements(); ++i) out.SetNumber(i, array.Number(i));
  return out;
}

bool Fits(const IoInfo& input, std::span<const int64_t> dims) {
  if (!input.has_shape) return true;
  if (dims.size() != input.dims.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (input.dims[i] >= 0 && input.dims[i] != dims[i]) return false;
  }
  return true;
}

// `array` cut along its first axis into `count` pieces of shape `piece`.
Result<std::vector<Tensor>> Cut(const Tensor& array, int64_t count, const Shape& piece) {
  std::vector<Tensor> out;
  const auto bytes = static_cast<size_t>(piece.elements()) * DTypeSize(array.dtype());
  for (int64_t i = 0; i < count; ++i) {
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(array.dtype(), piece));
    if (bytes > 0) std::memcpy(tensor.mutable_raw(), array.raw() + i * bytes, bytes);
    out.push_back(std::move(tensor));
  }
  return out;
}

// The samples of one input that an array holds.
Result<std::vector<Tensor>> Split(const IoInfo& input, Tensor array, const std::string& where) {
  auto converted = Converted(input, std::move(array));
  if (!converted.ok()) return converted.status().Context("{}: input '{}'", where, input.name);
  array = *std::move(converted);
  if (Fits(input, array.shape().dims())) return std::vector<Tensor>{array};
  std::vector<int64_t> dims(array.shape().dims().begin(), array.shape().dims().end());
  if (array.dtype() != DType::kString && !dims.empty() && !input.dims.empty()) {
    // One axis more: samples one behind the other.
    const std::vector<int64_t> rest(dims.begin() + 1, dims.end());
    if (Fits(input, rest)) {
      FERRY_ASSIGN_OR_RETURN(const Shape piece, Shape::Make(rest));
      return Cut(array, dims[0], piece);
    }
    // A longer first axis.
    const int64_t batch = input.dims[0];
    std::vector<int64_t> one = dims;
    one[0] = batch;
    if (batch > 0 && dims[0] % batch == 0 && Fits(input, one)) {
      FERRY_ASSIGN_OR_RETURN(const Shape piece, Shape::Make(one));
      return Cut(array, dims[0] / batch, piece);
    }
    // No batch axis.
    std::vector<int64_t> with_batch = dims;
    with_batch.insert(with_batch.begin(), 1);
    if (Fits(input, with_batch)) {
      FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(with_batch));
      FERRY_ASSIGN_OR_RETURN(Tensor tensor, array.Reshaped(shape));
      return std::vector<Tensor>{tensor};
    }
  }
  const auto lone = conformance::FitInput(input, array);
  if (lone.ok() && Fits(input, lone->shape().dims())) return std::vector<Tensor>{*lone};
  return Status::Of(Code::kShapeMismatch, "{}: {} does not fit input '{}'", where, array.TypeText(),
                    input.name);
}

// Arrays of every input, side by side.
class Columns {
 public:
  explicit Columns(std::span<const IoInfo> inputs) : inputs_(inputs) {}

  Status Add(const std::string& name, Tensor array, const std::string& where) {
    const auto input = std::ranges::find(inputs_, name, &IoInfo::name);
    if (input == inputs_.end()) {
      return Status::Of(Code::kInvalidArgument, "{}: the model has no input '{}'", where, name);
    }
    FERRY_ASSIGN_OR_RETURN(auto pieces, Split(*input, std::move(array), where));
    auto& column = columns_[name];
    std::ranges::move(pieces, std::back_inserter(column));
    return OkStatus();
  }
  // One sample for each index; an input with one piece has it in all samples.
  Result<std::vector<quant::Sample>> Samples(const std::string& where) const {
    size_t count = 0;
    for (const auto& [name, column] : columns_) count = std::max(count, column.size());
    std::vector<quant::Sample> out(count);
    for (const IoInfo& input : inputs_) {
      const auto column = columns_.find(input.name);
      if (column == columns_.end() || column->second.empty()) {
        return Status::Of(Code::kInvalidArgument, "{}: no data for input '{}'", where, input.name);
      }
      const std::vector<Tensor>& pieces = column->second;
      if (pieces.size() != count && pieces.size() != 1) {
        return Status::Of(Code::kShapeMismatch, "{}: {} samples of input '{}', {} of others", where,
                          pieces.size(), input.name, count);
      }
      for (size_t i = 0; i < count; ++i) {
        out[i].push_back({input.name, pieces[pieces.size() == 1 ? 0 : i]});
      }
    }
    return out;
  }

 private:
  std::span<const IoInfo> inputs_;
  std::map<std::string, std::vector<Tensor>> columns_;
};

Result<std::vector<quant::Sample>> ReadArchive(std::span<const IoInfo> inputs,
                                               const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const auto file, sys::SystemFileSystem().Map(path));
  FERRY_ASSIGN_OR_RETURN(const auto arrays, npy::ReadNpz(file->bytes()).Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(const auto named,
                         conformance::GoldenOf(arrays, inputs, "in").Context("{}", path));
  Columns columns(inputs);
  for (const NamedTensor& array : named) FERRY_TRY(columns.Add(array.name, array.tensor, path));
  return columns.Samples(path);
}

Status AddArray(Columns& columns, const std::string& name, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(sys::SystemFileSystem(), path));
  FERRY_ASSIGN_OR_RETURN(Tensor array, npy::ReadNpy(bytes).Context("{}", path));
  return columns.Add(name, std::move(array), path);
}

Result<std::vector<quant::Sample>> ReadFolder(std::span<const IoInfo> inputs,
                                              const std::string& folder, int64_t most) {
  std::vector<quant::Sample> out;
  FERRY_ASSIGN_OR_RETURN(const auto names, sys::SystemFileSystem().List(folder));
  for (const std::string& name : names) {
    if (static_cast<int64_t>(out.size()) >= most) break;
    const std::string path = sys::JoinPath(folder, name);
    std::vector<quant::Sample> samples;
    if (name.ends_with(".npz")) {
      FERRY_ASSIGN_OR_RETURN(samples, ReadArchive(inputs, path));
    } else if (name.ends_with(".npy")) {
      if (inputs.size() != 1) {
        return Status::Of(Code::kInvalidArgument,
                          "{}: a model of {} inputs wants .npz files with their names", path,
                          inputs.size());
      }
      Columns columns(inputs);
      FERRY_TRY(AddArray(columns, inputs[0].name, path));
      FERRY_ASSIGN_OR_RETURN(samples, columns.Samples(path));
    }
    std::ranges::move(samples, std::back_inserter(out));
  }
  if (out.empty()) {
    return Status::Of(Code::kNotFound, "{}: no .npy or .npz file there", folder);
  }
  return out;
}

}  // namespace

Result<std::vector<quant::Sample>> ReadSamples(std::span<const IoInfo> inputs,
                                               const std::vector<std::string>& data, int64_t most) {
  std::vector<quant::Sample> out;
  Columns columns(inputs);
  bool has_columns = false;
  for (const std::string& text : data) {
    const size_t equals = text.find('=');
    if (equals != std::string::npos && !sys::Exists(sys::SystemFileSystem(), text)) {
      FERRY_TRY(AddArray(columns, text.substr(0, equals), text.substr(equals + 1)));
      has_columns = true;
      continue;
    }
    FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, sys::SystemFileSystem().Stat(text));
    std::vector<quant::Sample> samples;
    if (info.is_directory) {
      FERRY_ASSIGN_OR_RETURN(samples, ReadFolder(inputs, text, most));
    } else if (text.ends_with(".npz")) {
      FERRY_ASSIGN_OR_RETURN(samples, ReadArchive(inputs, text));
    } else if (inputs.size() == 1) {
      Columns only(inputs);
      FERRY_TRY(AddArray(only, inputs[0].name, text));
      FERRY_ASSIGN_OR_RETURN(samples, only.Samples(text));
    } else {
      return Status::Of(Code::kInvalidArgument, "--data \"{}\": which of {} inputs is it? NAME={}",
                        text, inputs.size(), text);
    }
    std::ranges::move(samples, std::back_inserter(out));
  }
  if (has_columns) {
    FERRY_ASSIGN_OR_RETURN(auto samples, columns.Samples("--data"));
    std::ranges::move(samples, std::back_inserter(out));
  }
  if (static_cast<int64_t>(out.size()) > most) out.resize(static_cast<size_t>(most));
  return out;
}

Result<std::vector<quant::Sample>> RandomSamples(std::span<const IoInfo> inputs, int64_t count,
                                                 const std::vector<std::string>& shapes,
                                                 uint64_t seed) {
  std::map<std::string, std::vector<int64_t>> wishes;
  for (const std::string& text : shapes) {
    FERRY_ASSIGN_OR_RETURN(auto wish, ParseInputShape(text));
    if (std::ranges::find(inputs, wish.first, &IoInfo::name) == inputs.end()) {
      return Status::Of(Code::kInvalidArgument, "--shape: the model has no input '{}'", wish.first);
    }
    wishes.insert(std::move(wish));
  }
  sys::SeededRandom random(seed);
  std::vector<quant::Sample> out(static_cast<size_t>(count));
  for (quant::Sample& sample : out) {
    for (const IoInfo& input : inputs) {
      std::vector<int64_t> dims = input.dims;
      std::ranges::replace(dims, -1, 1);
      const auto wish = wishes.find(input.name);
      if (wish != wishes.end()) dims = wish->second;
      if (!input.kind.empty() || input.dtype == DType::kString ||
          (!input.has_shape && wish == wishes.end())) {
        return Status::Of(Code::kInvalidArgument, "input '{}': no random data for its type",
                          input.name);
      }
      FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
      FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Zeros(input.dtype, shape));
      for (int64_t i = 0; i < tensor.elements(); ++i) {
        const bool is_float = tensor::IsFloat(input.dtype);
        tensor.SetNumber(
            i, is_float ? 2 * random.NextDouble() - 1 : static_cast<double>(random.Below(2)));
      }
      sample.push_back({input.name, std::move(tensor)});
    }
  }
  return out;
}

}  // namespace ferry::cli
