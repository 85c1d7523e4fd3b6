// TensorProto.
#include <cstring>

#include "common/sys/pages.h"
#include "device-runtime/formats/onnx/messages.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/tensor/alignment.h"
#include "device-runtime/tensor/packing.h"

namespace ferry::formats {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

struct OnnxReader::TensorParts {
  std::string name;
  std::vector<int64_t> dims, int32s, int64s, uint64s;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::string_view> texts;
  int64_t type = 0;
  bool is_external = false;
  std::vector<std::pair<std::string, std::string>> external;
  bool has_raw = false;
  ByteView raw;

  Status Take(const WireField& field);
  Status TakeExternal(const WireField& field);
  // How many elements the typed field of `dtype` gives; of packed types: how many bytes.
  size_t Given(DType dtype) const;
  void Fill(Tensor& tensor) const;
};

Status OnnxReader::TensorParts::Take(const WireField& field) {
  switch (field.number) {
    case 1:
      return AppendIntegers(field, dims);
    case 2:
      type = field.integer();
      return ExpectType(field, 0);
    case 4:
      return AppendFloats(field, floats);
    case 5:
      return AppendIntegers(field, int32s);
    case 6:
      texts.push_back(field.text());
      return ExpectType(field, 2);
    case 7:
      return AppendIntegers(field, int64s);
    case 8:
      name = field.text();
      return ExpectType(field, 2);
    case 9:
      raw = field.bytes;
      has_raw = true;
      return ExpectType(field, 2);
    case 10:
      return AppendDoubles(field, doubles);
    case 11:
      return AppendIntegers(field, uint64s);
    case 13:
      return TakeExternal(field);
    case 14:
      is_external = field.value != 0;
      return ExpectType(field, 0);
    default:
      return OkStatus();
  }
}

// StringStringEntryProto
Status OnnxReader::TensorParts::TakeExternal(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  std::pair<std::string, std::string> entry;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number == 1) entry.first = part.text();
    if (part.number == 2) entry.second = part.text();
  }
  external.push_back(std::move(entry));
  return OkStatus();
}

size_t OnnxReader::TensorParts::Given(DType dtype) const {
  switch (dtype) {
    case DType::kF32:
      return floats.size();
    case DType::kF64:
      return doubles.size();
    case DType::kI64:
      return int64s.size();
    case DType::kU32:
    case DType::kU64:
      return uint64s.size();
    case DType::kString:
      return texts.size();
    default:
      return int32s.size();
  }
}

// Elements that came in typed fields instead of raw bytes; their count has been checked.
void OnnxReader::TensorParts::Fill(Tensor& tensor) const {
  const DType dtype = tensor.dtype();
  const auto count = static_cast<size_t>(tensor.elements());
  if (tensor::IsPacked(dtype)) {
    Bytes packed;
    for (int64_t byte : int32s) packed.push_back(static_cast<uint8_t>(byte));
    tensor::Unpack(packed, tensor);
  } else if (dtype == DType::kF32) {
    if (count > 0) std::memcpy(tensor.mutable_raw(), floats.data(), tensor.bytes().size());
  } else if (dtype == DType::kF64) {
    if (count > 0) std::memcpy(tensor.mutable_raw(), doubles.data(), tensor.bytes().size());
  } else if (tensor::IsFloat(dtype)) {  // the bits, as integers
    const size_t size = tensor::DTypeSize(dtype);
    for (size_t i = 0; i < count; ++i) {
      uint8_t bits[4];
      PutU32(bits, static_cast<uint32_t>(int32s[i]));
      std::memcpy(tensor.mutable_raw() + size * i, bits, size);
    }
  } else {
    const bool is_unsigned = dtype == DType::kU32 || dtype == DType::kU64;
    const std::vector<int64_t>& from =
        is_unsigned ? uint64s : (dtype == DType::kI64 ? int64s : int32s);
    for (size_t i = 0; i < count; ++i) tensor.SetInteger(static_cast<int64_t>(i), from[i]);
  }
}

namespace {

constexpr size_t kViewBytes = 4096;           // smaller tensors are copied
constexpr size_t kReleasedBytes = 64 * 1024;  // for less a system call does not pay

// A tensor of the bytes as a file has them; large ones stay where they are.
Result<Tensor> FromRaw(DType dtype, const Shape& shape, const OnnxPiece& raw,
                       bool keeps_unaligned) {
  const bool is_plain = !tensor::IsPacked(dtype) && dtype != DType::kBool;
  const Tensor view = Tensor::View(dtype, shape, raw.bytes.data(), raw.owner);
  const bool stays = tensor::IsAligned(view) ? raw.bytes.size() >= kViewBytes
                                             : keeps_unaligned && dtype == DType::kF32 &&
                                                   raw.bytes.size() >= kReleasedBytes;
  if (is_plain && stays && raw.owner != nullptr) return view;
  FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  if (tensor::IsPacked(dtype)) {
    tensor::Unpack(raw.bytes, tensor);
  } else if (!raw.bytes.empty()) {
    std::memcpy(tensor.mutable_raw(), raw.bytes.data(), raw.bytes.size());
  }
  // A mapped file need not stay in memory beside the copy.
  if (raw.bytes.size() >= kReleasedBytes) sys::ReleaseMapped(raw.bytes);
  return tensor;
}

}  // namespace

Result<OnnxPiece> OnnxReader::RawBytes(const TensorParts& parts) {
  if (!parts.is_external) {
    return OnnxPiece{parts.raw, files_ == nullptr ? nullptr : files_->model().owner};
  }
  if (files_ == nullptr) {
    return Status(Code::kUnsupported,
                  "its data lies in another file: only a model read from its folder can have it");
  }
  return files_->External(parts.external);
}

Result<Tensor> OnnxReader::Build(const TensorParts& parts) {
  FERRY_ASSIGN_OR_RETURN(DType dtype, ops::DTypeOfOnnx(parts.type));
  auto shape = Shape::Make(parts.dims);
  if (!shape.ok()) return Status(Code::kBadModel, shape.status().message());
  const int64_t bytes = tensor::FileBytes(dtype, shape->elements());
  const bool is_text = dtype == DType::kString;
  const bool is_raw = parts.has_raw || parts.is_external;
  if (is_text && is_raw) return Status(Code::kBadModel, "texts cannot be raw bytes");
  FERRY_ASSIGN_OR_RETURN(OnnxPiece raw, RawBytes(parts));
  // Checked before anything is allocated: the file must hold what it announces.
  const auto given = static_cast<int64_t>(is_raw ? raw.bytes.size() : parts.Given(dtype));
  const int64_t needed = is_raw || tensor::IsPacked(dtype) ? bytes : shape->elements();
  if (given != needed) {
    return Status::Of(Code::kBadModel, "{} {} needs {} {}, {} are given", tensor::DTypeName(dtype),
                      shape->ToString(), needed, is_raw ? "bytes" : "numbers or texts", given);
  }
  if (is_text) {
    const std::vector<std::string> texts(parts.texts.begin(), parts.texts.end());
    return Tensor::Strings(*shape, texts);
  }
  Tensor tensor;
  if (is_raw) {
    const bool keeps_unaligned = files_ != nullptr && files_->keeps_unaligned;
    FERRY_ASSIGN_OR_RETURN(tensor, FromRaw(dtype, *shape, raw, keeps_unaligned));
  } else {
    FERRY_ASSIGN_OR_RETURN(tensor, Tensor::Allocate(dtype, *shape));
    parts.Fill(tensor);
  }
  if (dtype == DType::kBool) {
    for (int64_t i = 0; i < bytes; ++i) tensor.SetNumber(i, tensor.raw()[i]);
  }
  return tensor;
}

Result<OnnxTensor> OnnxReader::TensorMessage(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  TensorParts parts;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    FERRY_TRY(parts.Take(part));
  }
  OnnxTensor out{parts.name, {}, {}};
  auto tensor = Build(parts);
  if (tensor.ok()) {
    out.tensor = *std::move(tensor);
    return out;
  }
  const Status status = tensor.status().Context("tensor '{}' at byte {}", parts.name, field.offset);
  if (status.code() != Code::kUnsupported) return status;
  out.problem = status;
  return out;
}

}  // namespace ferry::formats
