#include <algorithm>
#include <limits>

#include "device-runtime/formats/gguf/cursor.h"

namespace ferry::formats {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr size_t kHeaderBytes = 24;  // magic, version, two counts
constexpr size_t kLeastEntry = 13;   // bytes of a key of none, a type, a value of one
constexpr size_t kLeastTensor = 24;  // of a tensor's description
constexpr uint32_t kDefaultAlignment = 32;

struct TensorPlace {
  GgufTensor tensor;
  uint64_t offset = 0;  // in the data
};

Status CheckCount(std::string_view what, uint64_t count, uint64_t most, size_t least_bytes,
                  const GgufCursor& cursor) {
  if (count > most) {
    return Status::Of(Code::kLimitExceeded, "{} {}, at most {}", count, what, most);
  }
  if (count > cursor.left() / least_bytes) {
    return cursor.Error(fmt::format("{} {} pass the end", count, what));
  }
  return OkStatus();
}

Result<TensorPlace> ReadTensor(GgufCursor& cursor) {
  TensorPlace place;
  FERRY_ASSIGN_OR_RETURN(place.tensor.name, cursor.Name());
  FERRY_ASSIGN_OR_RETURN(const uint32_t rank, cursor.Number<uint32_t>());
  if (rank > kMaxGgufRank) {
    return Status::Of(Code::kLimitExceeded, "tensor \"{}\": {} extents, at most {}",
                      place.tensor.name, rank, kMaxGgufRank);
  }
  for (uint32_t i = 0; i < rank; ++i) {
    FERRY_ASSIGN_OR_RETURN(const uint64_t extent, cursor.Number<uint64_t>());
    if (extent > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return Status::Of(Code::kMalformed, "tensor \"{}\": an extent of {}", place.tensor.name,
                        extent);
    }
    place.tensor.shape.push_back(static_cast<int64_t>(extent));
  }
  std::reverse(place.tensor.shape.begin(), place.tensor.shape.end());
  FERRY_ASSIGN_OR_RETURN(place.tensor.type, cursor.Number<uint32_t>());
  FERRY_ASSIGN_OR_RETURN(place.offset, cursor.Number<uint64_t>());
  return place;
}

// The bytes of shape and type; false when they pass `limit` or a row holds no whole blocks.
bool TensorBytes(const GgufTensor& tensor, const GgufTensorType& type, uint64_t limit,
                 uint64_t* bytes) {
  const uint64_t row = tensor.shape.empty() ? 1 : static_cast<uint64_t>(tensor.shape.back());
  if (row % type.block_values != 0) return false;
  *bytes = row / type.block_values;
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end()) *bytes = 0;
  for (size_t i = 0; i + 1 < tensor.shape.size() && *bytes > 0; ++i) {
    const uint64_t extent = static_cast<uint64_t>(tensor.shape[i]);
    if (*bytes > limit / extent) return false;
    *bytes *= extent;
  }
  if (*bytes > limit / type.block_bytes) return false;
  *bytes *= type.block_bytes;
  return true;
}

Status PlaceTensor(TensorPlace& place, ByteView data, uint32_t alignment) {
  GgufTensor& tensor = place.tensor;
  if (place.offset % alignment != 0 || place.offset > data.size()) {
    return Status::Of(Code::kMalformed,
                      "tensor \"{}\": offset {} is no multiple of {} in the {} bytes of data",
                      tensor.name, place.offset, alignment, data.size());
  }
  const GgufTensorType* type = FindGgufTensorType(tensor.type);
  if (type == nullptr) return OkStatus();
  const uint64_t room = data.size() - place.offset;
  uint64_t bytes = 0;
  if (!TensorBytes(tensor, *type, room, &bytes)) {
    return Status::Of(Code::kMalformed,
                      "tensor \"{}\": shape [{}] of {} at offset {} does not fit the {} bytes of "
                      "data in whole blocks",
                      tensor.name, fmt::join(tensor.shape, ", "), type->name, place.offset,
                      data.size());
  }
  tensor.bytes = data.subspan(place.offset, bytes);
  return OkStatus();
}

Status CheckOverlap(const std::vector<GgufTensor>& tensors) {
  std::vector<const GgufTensor*> order;
  for (const GgufTensor& tensor : tensors) {
    if (!tensor.bytes.empty()) order.push_back(&tensor);
  }
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return a->bytes.data() < b->bytes.data(); });
  for (size_t i = 1; i < order.size(); ++i) {
    const ByteView before = order[i - 1]->bytes;
    if (before.data() + before.size() > order[i]->bytes.data()) {
      return Status::Of(Code::kMalformed, "tensors \"{}\" and \"{}\" overlap", order[i - 1]->name,
                        order[i]->name);
    }
  }
  return OkStatus();
}

// Sorts by what `name` gives and refuses names that are there twice.
template <typename T, typename Name>
Status SortByName(std::vector<T>& items, std::string_view what, Name name) {
  std::sort(items.begin(), items.end(), [&](const T& a, const T& b) { return name(a) < name(b); });
  for (size_t i = 1; i < items.size(); ++i) {
    if (name(items[i]) == name(items[i - 1])) {
      return Status::Of(Code::kMalformed, "{} \"{}\" is there twice", what, name(items[i]));
    }
  }
  return OkStatus();
}

Result<uint32_t> AlignmentOf(const GgufValue* value) {
  if (value == nullptr) return kDefaultAlignment;
  const std::optional<int64_t> alignment = value->Integer();
  if (alignment && *alignment > 0 && *alignment <= kMaxGgufAlignment &&
      (*alignment & (*alignment - 1)) == 0) {
    return static_cast<uint32_t>(*alignment);
  }
  return Status::Of(Code::kMalformed, "general.alignment is no power of two from 1 to {}",
                    kMaxGgufAlignment);
}

// What stands before the tensors' data.
struct Head {
  uint32_t version = 0;
  std::vector<GgufEntry> metadata;
  std::vector<TensorPlace> places;
  size_t end = 0;
};

Result<Head> ReadHead(ByteView file) {
  if (!Gguf::IsGguf(file) || file.size() < kHeaderBytes) {
    return Status::Of(Code::kMalformed, "{} bytes are no GGUF file", file.size());
  }
  Head head;
  GgufCursor cursor(file, kMagic.size());
  FERRY_ASSIGN_OR_RETURN(head.version, cursor.Number<uint32_t>());
  if (head.version != 2 && head.version != 3) {
    return Status::Of(Code::kUnsupported, "GGUF of version {}; supported: 2, 3, little-endian",
                      head.version);
  }
  FERRY_ASSIGN_OR_RETURN(const uint64_t tensors, cursor.Number<uint64_t>());
  FERRY_ASSIGN_OR_RETURN(const uint64_t entries, cursor.Number<uint64_t>());
  FERRY_TRY(CheckCount("tensors", tensors, kMaxGgufTensors, kLeastTensor, cursor));
  FERRY_TRY(CheckCount("metadata entries", entries, kMaxGgufEntries, kLeastEntry, cursor));
  for (uint64_t i = 0; i < entries; ++i) {
    GgufEntry entry;
    FERRY_ASSIGN_OR_RETURN(entry.key, cursor.Name().Context("metadata entry {}", i));
    FERRY_ASSIGN_OR_RETURN(entry.value, cursor.Value().Context("metadata \"{}\"", entry.key));
    head.metadata.push_back(entry);
  }
  for (uint64_t i = 0; i < tensors; ++i) {
    FERRY_ASSIGN_OR_RETURN(TensorPlace place, ReadTensor(cursor).Context("tensor {}", i));
    head.places.push_back(std::move(place));
  }
  head.end = cursor.at();
  return head;
}

}  // namespace

bool Gguf::IsGguf(ByteView file) {
  return AsText(file).starts_with(kMagic);
}

Result<Gguf> Gguf::Read(ByteView file, std::string_view file_name) {
  const auto read = [&]() -> Result<Gguf> {
    FERRY_ASSIGN_OR_RETURN(Head head, ReadHead(file));
    Gguf gguf;
    gguf.version_ = head.version;
    gguf.metadata_ = std::move(head.metadata);
    FERRY_TRY(SortByName(gguf.metadata_, "metadata", [](const GgufEntry& e) { return e.key; }));
    FERRY_ASSIGN_OR_RETURN(const uint32_t alignment, AlignmentOf(gguf.Find("general.alignment")));
    const size_t begin =
        std::min<size_t>((head.end + alignment - 1) / alignment * size_t{alignment}, file.size());
    for (TensorPlace& place : head.places) {
      FERRY_TRY(PlaceTensor(place, file.subspan(begin), alignment));
      gguf.tensors_.push_back(std::move(place.tensor));
    }
    FERRY_TRY(SortByName(gguf.tensors_, "tensor", [](const GgufTensor& t) { return t.name; }));
    FERRY_TRY(CheckOverlap(gguf.tensors_));
    return gguf;
  };
  return read().Context("{}", file_name);
}

const GgufValue* Gguf::Find(std::string_view key) const {
  const auto found =
      std::lower_bound(metadata_.begin(), metadata_.end(), key,
                       [](const GgufEntry& e, std::string_view wanted) { return e.key < wanted; });
  return found != metadata_.end() && found->key == key ? &found->value : nullptr;
}

const GgufTensor* Gguf::FindTensor(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const GgufTensor& t, std::string_view wanted) { return t.name < wanted; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

}  // namespace ferry::formats
