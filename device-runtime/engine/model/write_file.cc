#include <cstring>
#include <map>

#include "device-runtime/engine/model/crc64.h"
#include "device-runtime/engine/model/file.h"
#include "device-runtime/engine/model/layout.h"
#include "device-runtime/ir/text.h"
#include "device-runtime/tensor/packing.h"

namespace ferry::engine {
namespace {

using tensor::DType;
using tensor::Tensor;

// The bytes of a weight as the file has them; `packed` is where they lie if the tensor has others.
ByteView FileForm(const Tensor& tensor, Bytes& packed) {
  if (!tensor::IsPacked(tensor.dtype())) return tensor.bytes();
  packed.resize(static_cast<size_t>(tensor::FileBytes(tensor.dtype(), tensor.elements())));
  tensor::Pack(tensor, packed.data());
  return packed;
}

// Offsets for weights, one for all that have the same bytes.
class Places {
 public:
  size_t Of(const Tensor& tensor, bool& is_new) {
    const auto bytes = static_cast<size_t>(tensor::FileBytes(tensor.dtype(), tensor.elements()));
    const auto known = by_data_.find({tensor.raw(), bytes});
    is_new = false;
    if (known != by_data_.end() && known->second.first == tensor.dtype()) {
      return known->second.second;
    }
    Bytes packed;
    const ByteView view = FileForm(tensor, packed);
    const uint64_t crc = Crc64(view);
    size_t offset = end_;
    is_new = true;
    const auto [first, last] = by_content_.equal_range({bytes, crc});
    for (auto it = first; it != last && is_new; ++it) {
      Bytes other_packed;
      const ByteView other = FileForm(it->second.first, other_packed);
      is_new = bytes > 0 && std::memcmp(other.data(), view.data(), bytes) != 0;
      if (!is_new) offset = it->second.second;
    }
    by_data_[{tensor.raw(), bytes}] = {tensor.dtype(), offset};
    if (!is_new) return offset;
    by_content_.insert({{bytes, crc}, {tensor, offset}});
    end_ = Aligned(end_ + bytes);
    return offset;
  }
  size_t end() const { return end_; }

 private:
  std::map<std::pair<const uint8_t*, size_t>, std::pair<DType, size_t>> by_data_;
  std::multimap<std::pair<size_t, uint64_t>, std::pair<Tensor, size_t>> by_content_;
  size_t end_ = 0;
};

}  // namespace

Result<ModelFileWriter> ModelFileWriter::Plan(const ir::Graph& graph) {
  ModelFileWriter writer;
  Places places;
  ir::PrintOptions options;
  options.place = [&](const Tensor& tensor) {
    bool is_new = false;
    const size_t offset = places.Of(tensor, is_new);
    if (is_new) writer.weights_.push_back({tensor, offset});
    return static_cast<int64_t>(offset);
  };
  writer.text_ = ir::Print(graph, options);
  if (writer.text_.size() > kMaxGraphTextBytes) {
    return Status::Of(Code::kLimitExceeded, "the graph's text of {} bytes passes the limit of {}",
                      writer.text_.size(), kMaxGraphTextBytes);
  }
  writer.weights_offset_ = Aligned(kHeaderBytes + writer.text_.size());
  writer.weights_size_ = places.end();
  return writer;
}

void ModelFileWriter::Write(uint8_t* out) const {
  std::memset(out, 0, kHeaderBytes);
  std::memcpy(out, kMagic, 8);  // NOLINT(bugprone-not-null-terminated-result)
  PutU32(out + 8, kModelFileVersion);
  PutU64(out + 16, kHeaderBytes);
  PutU64(out + 24, text_.size());
  PutU64(out + 32, weights_offset_);
  PutU64(out + 40, weights_size_);
  std::memcpy(out + kHeaderBytes, text_.data(), text_.size());
  const size_t text_end = kHeaderBytes + text_.size();
  std::memset(out + text_end, 0, weights_offset_ - text_end);
  uint8_t* const weights = out + weights_offset_;
  for (const Weight& weight : weights_) {
    Bytes packed;
    const ByteView bytes = FileForm(weight.tensor, packed);
    const size_t end = weight.offset + bytes.size();
    if (!bytes.empty()) std::memcpy(weights + weight.offset, bytes.data(), bytes.size());
    std::memset(weights + end, 0, Aligned(end) - end);
  }
  PutU64(out + 48, Crc64(AsBytes(text_), Crc64({out, kCheckedHeaderBytes})));
  PutU64(out + 56, Crc64({weights, weights_size_}));
}

Result<Bytes> WriteModelFile(const ir::Graph& graph) {
  FERRY_ASSIGN_OR_RETURN(ModelFileWriter writer, ModelFileWriter::Plan(graph));
  Bytes file(writer.size());
  writer.Write(file.data());
  return file;
}

}  // namespace ferry::engine
