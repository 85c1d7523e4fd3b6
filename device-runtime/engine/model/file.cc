#include "device-runtime/engine/model/file.h"

#include <cstring>
#include <map>
#include <tuple>

#include "common/sys/files/file_kind.h"
#include "device-runtime/engine/model/crc64.h"
#include "device-runtime/engine/model/layout.h"
#include "device-runtime/ir/text.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/tensor/packing.h"

namespace ferry::engine {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

template <typename... A>
Status Bad(fmt::format_string<A...> format, A&&... args) {
  return Status::Of(Code::kBadModel, format, std::forward<A>(args)...);
}

struct Header {
  uint32_t version = 0;
  ByteView text, weights;
};

Result<Header> ReadHeader(ByteView bytes) {
  if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), kMagic, 8) != 0) {
    const std::string_view kind = sys::FileKind(bytes);
    return Bad("not a Ferry model file{}{}", kind.empty() ? "" : ", but ", kind);
  }
  Header header;
  header.version = GetU32(bytes.data() + 8);
  if (header.version < 1 || header.version > kModelFileVersion) {
    return Bad("model file version {}, this version of Ferry reads 1 to {}", header.version,
               kModelFileVersion);
  }
  const uint64_t text_offset = GetU64(bytes.data() + 16);
  const uint64_t text_size = GetU64(bytes.data() + 24);
  const uint64_t weights_offset = GetU64(bytes.data() + 32);
  const uint64_t weights_size = GetU64(bytes.data() + 40);
  const bool in_order =
      text_offset == kHeaderBytes && text_size <= bytes.size() - kHeaderBytes &&
      text_size <= kMaxGraphTextBytes && weights_offset == Aligned(kHeaderBytes + text_size) &&
      weights_offset <= bytes.size() && weights_size == bytes.size() - weights_offset;
  if (!in_order) {
    return Bad("header: text at {} of {} bytes and weights at {} of {} do not fill a file of {}",
               text_offset, text_size, weights_offset, weights_size, bytes.size());
  }
  header.text = bytes.subspan(kHeaderBytes, text_size);
  header.weights = bytes.subspan(weights_offset);
  if (header.version == 1) return header;
  if (GetU64(bytes.data() + 48) != Crc64(header.text, Crc64(bytes.first(kCheckedHeaderBytes)))) {
    return Bad("the header or the graph text was changed: its checksum differs");
  }
  return header;
}

// Gives constants their bytes.
class Loader {
 public:
  Loader(const Header& header, std::shared_ptr<const void> keep_alive)
      : header_(header), keep_alive_(std::move(keep_alive)) {}

  Result<Tensor> Load(DType dtype, const Shape& shape, uint64_t offset) {
    if (dtype == DType::kString) return Bad("texts do not lie among the weights");
    const ByteView weights = header_.weights;
    const auto size = static_cast<uint64_t>(tensor::FileBytes(dtype, shape.elements()));
    if (offset % 64 != 0 || offset > weights.size() || size > weights.size() - offset) {
      return Bad("weights of {} bytes at {} lie outside {} bytes", size, offset, weights.size());
    }
    FERRY_TRY(Claim(offset, size));
    if (!tensor::IsPacked(dtype)) {
      return Tensor::View(dtype, shape, weights.data() + offset, keep_alive_);
    }
    Tensor& unpacked = unpacked_[{offset, dtype, shape.elements()}];
    if (unpacked.dtype() != dtype) {
      FERRY_ASSIGN_OR_RETURN(unpacked, Tensor::Allocate(dtype, shape));
      tensor::Unpack(weights.subspan(offset, size), unpacked);
    }
    return unpacked.Reshaped(shape);
  }

 private:
  // What a model may take in memory goes by the size of its file: constants have bytes of their
  // own, or (from version 2 on) exactly those of another.
  Status Claim(uint64_t offset, uint64_t size) {
    if (size == 0) return OkStatus();
    auto [mine, is_new] = claimed_.try_emplace(offset, size);
    const bool shares = !is_new && mine->second == size && header_.version > 1;
    auto after = std::next(mine);
    const bool fits =
        is_new && (after == claimed_.end() || after->first >= offset + size) &&
        (mine == claimed_.begin() || std::prev(mine)->first + std::prev(mine)->second <= offset);
    return fits || shares ? OkStatus() : Bad("weights at {} overlap others", offset);
  }

  const Header& header_;
  std::shared_ptr<const void> keep_alive_;
  std::map<uint64_t, uint64_t> claimed_;
  std::map<std::tuple<uint64_t, DType, int64_t>, Tensor> unpacked_;
};

}  // namespace

Result<ir::Graph> ReadModelFile(ByteView bytes, std::shared_ptr<const void> keep_alive) {
  FERRY_ASSIGN_OR_RETURN(Header header, ReadHeader(bytes));
  Loader loader(header, std::move(keep_alive));
  ir::ParseOptions options;
  options.load = [&](DType dtype, const Shape& shape, uint64_t offset) {
    return loader.Load(dtype, shape, offset);
  };
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, ir::Parse(AsText(header.text), options));
  FERRY_TRY(ir::Verify(graph));
  FERRY_TRY(ops::CheckNodes(graph));
  return graph;
}

Status VerifyWeights(ByteView bytes) {
  FERRY_ASSIGN_OR_RETURN(Header header, ReadHeader(bytes));
  if (header.version == 1) {
    return Status(Code::kUnsupported, "a model file of version 1 has no checksum");
  }
  if (GetU64(bytes.data() + 56) == Crc64(header.weights)) return OkStatus();
  return Status(Code::kCorruptContent, "the model's weights were changed: their checksum differs");
}

}  // namespace ferry::engine
