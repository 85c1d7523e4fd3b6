#include "device-runtime/engine/model/file.h"

#include <cstring>

#include "device-runtime/ir/text.h"
#include "device-runtime/ops/op.h"

namespace ferry::engine {
namespace {

inline constexpr size_t kHeaderBytes = 64;
inline constexpr char kMagic[] = "FERRYMDL";

size_t Aligned(size_t size) {
  return (size + 63) / 64 * 64;
}

template <typename... A>
Status Bad(fmt::format_string<A...> format, A&&... args) {
  return Status::Of(Code::kBadModel, format, std::forward<A>(args)...);
}

}  // namespace

Bytes WriteModelFile(const ir::Graph& graph) {
  Bytes weights;
  ir::PrintOptions options;
  options.place = [&](const tensor::Tensor& tensor) {
    const size_t offset = weights.size();
    weights.insert(weights.end(), tensor.bytes().begin(), tensor.bytes().end());
    weights.resize(Aligned(weights.size()));
    return static_cast<int64_t>(offset);
  };
  const std::string text = ir::Print(graph, options);
  const size_t weights_offset = Aligned(kHeaderBytes + text.size());
  Bytes file(weights_offset);
  std::memcpy(file.data(), kMagic, 8);
  PutU32(file.data() + 8, kModelFileVersion);
  PutU64(file.data() + 16, kHeaderBytes);
  PutU64(file.data() + 24, text.size());
  PutU64(file.data() + 32, weights_offset);
  PutU64(file.data() + 40, weights.size());
  std::memcpy(file.data() + kHeaderBytes, text.data(), text.size());
  file.insert(file.end(), weights.begin(), weights.end());
  return file;
}

Result<ir::Graph> ReadModelFile(ByteView bytes, std::shared_ptr<const void> keep_alive) {
  if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), kMagic, 8) != 0) {
    return Bad("not a Ferry model file");
  }
  if (GetU32(bytes.data() + 8) != kModelFileVersion) {
    return Bad("model file version {}, this version of Ferry reads {}", GetU32(bytes.data() + 8),
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
  const ByteView weights = bytes.subspan(weights_offset);
  ir::ParseOptions options;
  uint64_t claimed = 0;
  options.load = [&](tensor::DType dtype, const tensor::Shape& shape,
                     uint64_t offset) -> Result<tensor::Tensor> {
    const auto size = static_cast<uint64_t>(shape.elements()) * tensor::DTypeSize(dtype);
    if (offset % 64 != 0 || offset > weights.size() || size > weights.size() - offset) {
      return Bad("weights of {} bytes at {} lie outside {} bytes", size, offset, weights.size());
    }
    // No constants share bytes: what a model may take in memory goes by the size of its file.
    claimed += Aligned(size);
    if (claimed > Aligned(weights.size())) return Bad("weights at {} overlap others", offset);
    return tensor::Tensor::View(dtype, shape, weights.data() + offset, keep_alive);
  };
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph,
                         ir::Parse(AsText(bytes.subspan(kHeaderBytes, text_size)), options));
  FERRY_TRY(ir::Verify(graph));
  FERRY_TRY(ops::CheckNodes(graph));
  return graph;
}

}  // namespace ferry::engine
