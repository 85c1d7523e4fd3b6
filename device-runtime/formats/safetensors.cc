#include "device-runtime/formats/safetensors.h"

#include <algorithm>
#include <limits>

#include "common/base/json.h"

namespace ferry::formats {
namespace {

struct DTypeRow {
  std::string_view name;
  uint64_t bytes;
};
constexpr DTypeRow kDTypes[] = {{"BF16", 2},    {"BOOL", 1},    {"F16", 2}, {"F32", 4}, {"F64", 8},
                                {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"I16", 2}, {"I32", 4}, {"I64", 8},
                                {"I8", 1},      {"U16", 2},     {"U32", 4}, {"U64", 8}, {"U8", 1}};

struct Entry {
  std::string name;
  std::string dtype;
  std::vector<uint64_t> shape;
  std::vector<uint64_t> offsets;
  int members = 0;  // bits: dtype, shape, data_offsets
};

// Takes the header's events: an object of tensors, each an object of three known members, and
// "__metadata__", an object of texts. Works without building JSON values, sees repeated names.
class HeaderReader {
 public:
  std::vector<Entry> entries;
  std::string error;

  bool null() { return Unexpected("null"); }
  bool boolean(bool) { return Unexpected("a boolean"); }
  bool number_integer(int64_t) { return Unexpected("a negative number"); }
  bool number_float(double, const std::string&) { return Unexpected("a fraction"); }
  bool binary(Json::binary_t&) { return Unexpected("binary"); }

  bool number_unsigned(uint64_t value) {
    if (depth_ != 3 || list_ == nullptr) return Unexpected("a number");
    if (list_->size() >= kMaxSafetensorsRank) {
      return Fail(fmt::format("\"{}\" has more than {} numbers", member_, kMaxSafetensorsRank));
    }
    list_->push_back(value);
    return true;
  }
  bool string(std::string& value) {
    if (depth_ == 2 && metadata_) return true;
    if (depth_ != 2 || member_ != "dtype") return Unexpected("a text");
    entries.back().dtype = value;
    return true;
  }
  bool start_object(size_t) {
    if (depth_ == 1) {
      metadata_ = member_ == "__metadata__";
      if (!metadata_) entries.push_back({std::move(member_), {}, {}, {}, 0});
      member_.clear();
    } else if (depth_ != 0) {
      return Unexpected("an object");
    }
    ++depth_;
    return true;
  }
  bool end_object() {
    if (depth_ == 2 && !metadata_ && entries.back().members != 7) {
      return Fail("dtype, shape and data_offsets are wanted");
    }
    --depth_;
    member_.clear();
    return true;
  }
  bool start_array(size_t) {
    if (depth_ != 2 || metadata_ || member_ == "dtype") return Unexpected("a list");
    list_ = member_ == "shape" ? &entries.back().shape : &entries.back().offsets;
    ++depth_;
    return true;
  }
  bool end_array() {
    --depth_;
    list_ = nullptr;
    return true;
  }
  bool key(std::string& name) {
    member_ = std::move(name);
    if (depth_ != 2 || metadata_) return true;
    const int bit = member_ == "dtype"          ? 1
                    : member_ == "shape"        ? 2
                    : member_ == "data_offsets" ? 4
                                                : 0;
    if (bit == 0) return Fail(fmt::format("unknown member \"{}\"", member_));
    if ((entries.back().members & bit) != 0) return Fail(fmt::format("two \"{}\"", member_));
    entries.back().members |= bit;
    return true;
  }
  template <typename Exception>
  bool parse_error(size_t position, const std::string&, const Exception&) {
    error = fmt::format("the header is no JSON at byte {}", 8 + position);
    return false;
  }

 private:
  bool Unexpected(const char* what) {
    if (depth_ < 2) return Fail(fmt::format("the header has {} where a tensor is wanted", what));
    return Fail(fmt::format("\"{}\" has {}", member_, what));
  }
  bool Fail(std::string what) {
    const bool in_tensor = depth_ >= 2 && !metadata_;
    error =
        in_tensor ? fmt::format("tensor \"{}\": {}", entries.back().name, what) : std::move(what);
    return false;
  }

  int depth_ = 0;
  bool metadata_ = false;
  std::string member_;
  std::vector<uint64_t>* list_ = nullptr;
};

// The bytes that dtype and shape make; false when they pass `limit`.
bool BytesOf(const Entry& entry, uint64_t item_bytes, uint64_t limit, uint64_t* bytes) {
  *bytes = item_bytes;
  bool fits = true;
  for (uint64_t extent : entry.shape) {
    if (extent == 0) {
      *bytes = 0;
      return true;
    }
    fits = fits && *bytes <= limit / extent;
    if (fits) *bytes *= extent;
  }
  return fits && *bytes <= limit;
}

Result<SafetensorsTensor> Place(Entry entry, ByteView data) {
  const auto fail = [&](std::string what) {
    return Status::Of(Code::kBadModel, "tensor \"{}\": {}", entry.name, what);
  };
  const auto* row = std::find_if(std::begin(kDTypes), std::end(kDTypes),
                                 [&](const DTypeRow& r) { return r.name == entry.dtype; });
  if (row == std::end(kDTypes)) return fail(fmt::format("unknown dtype \"{}\"", entry.dtype));
  if (entry.offsets.size() != 2) return fail("data_offsets are not two");
  const uint64_t begin = entry.offsets[0];
  const uint64_t end = entry.offsets[1];
  if (begin > end || end > data.size()) {
    return fail(fmt::format("data_offsets {} to {} lie outside the {} bytes of data", begin, end,
                            data.size()));
  }
  uint64_t bytes = 0;
  if (!BytesOf(entry, row->bytes, data.size(), &bytes) || bytes != end - begin) {
    return fail(fmt::format("shape [{}] of {} does not make {} bytes", fmt::join(entry.shape, ", "),
                            entry.dtype, end - begin));
  }
  SafetensorsTensor tensor{
      std::move(entry.name), std::move(entry.dtype), {}, data.subspan(begin, end - begin)};
  for (uint64_t extent : entry.shape) {
    // Only next to an extent of 0 can one be this large.
    if (extent > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return Status::Of(Code::kBadModel, "tensor \"{}\": an extent of {}", tensor.name, extent);
    }
    tensor.shape.push_back(static_cast<int64_t>(extent));
  }
  return tensor;
}

// That the tensors, in the order of their places, cover the data exactly.
Status CheckCover(const std::vector<SafetensorsTensor>& tensors, ByteView data) {
  std::vector<const SafetensorsTensor*> order;
  for (const SafetensorsTensor& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->bytes.data() != b->bytes.data() ? a->bytes.data() < b->bytes.data()
                                              : a->bytes.size() < b->bytes.size();
  });
  const uint8_t* end = data.data();
  for (const SafetensorsTensor* tensor : order) {
    if (tensor->bytes.data() != end) {
      return Status::Of(Code::kBadModel, "tensor \"{}\" {} at byte {} of the data", tensor->name,
                        tensor->bytes.data() < end ? "overlaps another" : "leaves a gap before it",
                        tensor->bytes.data() - data.data());
    }
    end += tensor->bytes.size();
  }
  const auto left = data.data() + data.size() - end;
  if (left == 0) return OkStatus();
  return Status::Of(Code::kBadModel, "the last {} bytes belong to no tensor", left);
}

Result<std::vector<SafetensorsTensor>> ReadTensors(ByteView file) {
  if (file.size() < 8) {
    return Status::Of(Code::kBadModel, "{} bytes are no safetensors file", file.size());
  }
  const uint64_t header_bytes = GetU64(file.data());
  if (header_bytes > file.size() - 8) {
    return Status::Of(Code::kBadModel, "a header of {} bytes in a file of {}", header_bytes,
                      file.size());
  }
  if (header_bytes > kMaxSafetensorsHeader) {
    return Status::Of(Code::kLimitExceeded, "a header of {} bytes, at most {}", header_bytes,
                      kMaxSafetensorsHeader);
  }
  const std::string_view header = AsText(file.subspan(8, header_bytes));
  const ByteView data = file.subspan(8 + header_bytes);
  HeaderReader reader;
  if (!Json::sax_parse(header.begin(), header.end(), &reader)) {
    return Status(Code::kBadModel, reader.error);
  }
  std::vector<SafetensorsTensor> tensors;
  for (Entry& entry : reader.entries) {
    FERRY_ASSIGN_OR_RETURN(SafetensorsTensor tensor, Place(std::move(entry), data));
    tensors.push_back(std::move(tensor));
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (size_t i = 1; i < tensors.size(); ++i) {
    if (tensors[i].name == tensors[i - 1].name) {
      return Status::Of(Code::kBadModel, "tensor \"{}\" is there twice", tensors[i].name);
    }
  }
  FERRY_TRY(CheckCover(tensors, data));
  return tensors;
}

}  // namespace

Result<Safetensors> Safetensors::Read(ByteView file, std::string_view file_name) {
  Safetensors result;
  FERRY_ASSIGN_OR_RETURN(result.tensors_, ReadTensors(file).Context("{}", file_name));
  return result;
}

const SafetensorsTensor* Safetensors::Find(std::string_view name) const {
  const auto it = std::lower_bound(tensors_.begin(), tensors_.end(), name,
                                   [](const auto& t, std::string_view n) { return t.name < n; });
  return it != tensors_.end() && it->name == name ? &*it : nullptr;
}

}  // namespace ferry::formats
