// PNM: bits, grey and colour (P1 to P6). Source: the netpbm formats' documents.
#include <algorithm>

#include "device-runtime/ops/image/image.h"

namespace ferry::ops {
namespace {

constexpr int64_t kMaxLevel = 65535;

bool IsSpace(uint8_t byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

class Reader {
 public:
  explicit Reader(ByteView bytes) : bytes_(bytes) {}

  // The next number in text; comments count as space.
  Result<int64_t> Number() {
    SkipSpace();
    int64_t number = -1;
    while (at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9') {
      number = std::max<int64_t>(number, 0) * 10 + (bytes_[at_++] - '0');
      if (number > kMaxPixels) break;
    }
    if (number >= 0 && number <= kMaxPixels) return number;
    return Status::Of(Code::kMalformed, "PNM: no number at byte {}", at_);
  }
  // The next bit of P1, which need not stand apart.
  Result<int64_t> Bit() {
    SkipSpace();
    if (at_ < bytes_.size() && (bytes_[at_] == '0' || bytes_[at_] == '1')) {
      return bytes_[at_++] - '0';
    }
    return Status::Of(Code::kMalformed, "PNM: no bit at byte {}", at_);
  }
  // The bytes behind the one space that ends the header; kMalformed when there are fewer.
  Result<ByteView> Rest(int64_t size) {
    ++at_;
    if (at_ <= bytes_.size() && size <= static_cast<int64_t>(bytes_.size() - at_)) {
      return bytes_.subspan(at_, static_cast<size_t>(size));
    }
    return Status(Code::kMalformed, "PNM: cut off");
  }
  void Skip(size_t count) { at_ += count; }

 private:
  void SkipSpace() {
    while (at_ < bytes_.size() && (IsSpace(bytes_[at_]) || bytes_[at_] == '#')) {
      if (bytes_[at_] == '#') {
        while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      } else {
        ++at_;
      }
    }
  }

  ByteView bytes_;
  size_t at_ = 0;
};

struct Header {
  int kind;  // 1 to 6
  int64_t width, height, most;
  bool is_text() const { return kind <= 3; }
  bool is_bits() const { return kind == 1 || kind == 4; }
  int64_t channels() const { return kind == 3 || kind == 6 ? 3 : 1; }
};

Result<Header> ReadHeader(Reader& reader, int kind) {
  Header h{kind, 0, 0, 1};
  reader.Skip(2);
  FERRY_ASSIGN_OR_RETURN(h.width, reader.Number());
  FERRY_ASSIGN_OR_RETURN(h.height, reader.Number());
  if (!h.is_bits()) {
    FERRY_ASSIGN_OR_RETURN(h.most, reader.Number());
  }
  if (h.most >= 1 && h.most <= kMaxLevel) return h;
  return Status::Of(Code::kMalformed, "PNM: a highest level of {}", h.most);
}

uint8_t Level(int64_t level, const Header& h) {
  if (h.is_bits()) return level != 0 ? 0 : 255;
  return static_cast<uint8_t>((std::min(level, h.most) * 255 + h.most / 2) / h.most);
}

// All samples from bytes, or from text, in order.
template <typename Put>
Status Samples(Reader& reader, const Header& h, Put put) {
  const int64_t count = h.width * h.height * h.channels();
  if (h.is_text()) {
    for (int64_t i = 0; i < count; ++i) {
      FERRY_ASSIGN_OR_RETURN(int64_t level, h.is_bits() ? reader.Bit() : reader.Number());
      put(i, level);
    }
    return OkStatus();
  }
  const int64_t row_bytes = h.is_bits() ? (h.width + 7) / 8 : 0;
  const int64_t each = h.most > 255 ? 2 : 1;
  FERRY_ASSIGN_OR_RETURN(ByteView data,
                         reader.Rest(h.is_bits() ? row_bytes * h.height : count * each));
  for (int64_t i = 0; i < count; ++i) {
    if (h.is_bits()) {
      const int64_t x = i % h.width;
      put(i, data[static_cast<size_t>(i / h.width * row_bytes + x / 8)] >> (7 - x % 8) & 1);
    } else if (each == 1) {
      put(i, data[static_cast<size_t>(i)]);
    } else {
      put(i, data[static_cast<size_t>(2 * i)] << 8 | data[static_cast<size_t>(2 * i + 1)]);
    }
  }
  return OkStatus();
}

}  // namespace

Result<tensor::Tensor> DecodePnm(ByteView bytes, const ImageBudget& budget) {
  if (bytes.size() < 2) return Status(Code::kMalformed, "PNM: cut off");
  Reader reader(bytes);
  FERRY_ASSIGN_OR_RETURN(Header h, ReadHeader(reader, bytes[1] - '0'));
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor image, NewImage(h.height, h.width, budget));
  uint8_t* rgb = image.mutable_raw();
  FERRY_TRY(Samples(reader, h, [&](int64_t i, int64_t level) {
    if (h.channels() == 3) {
      rgb[i] = Level(level, h);
    } else {
      std::fill_n(rgb + 3 * i, 3, Level(level, h));
    }
  }));
  return image;
}

}  // namespace ferry::ops
