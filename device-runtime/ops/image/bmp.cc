// BMP: 1, 4, 8, 16, 24 and 32 bits a pixel, not compressed. Source: Microsoft's documents of
// BITMAPINFOHEADER and its followers.
#include <array>
#include <bit>

#include "device-runtime/ops/image/image.h"

namespace ferry::ops {
namespace {

constexpr size_t kFileHeader = 14;
constexpr uint32_t kCoreHeader = 12;

// Little-endian numbers; zero behind the end.
class Fields {
 public:
  explicit Fields(ByteView bytes) : bytes_(bytes) {}
  uint32_t U8(size_t at) const { return at < bytes_.size() ? bytes_[at] : 0; }
  uint32_t U16(size_t at) const { return U8(at) | U8(at + 1) << 8; }
  uint32_t U32(size_t at) const { return U16(at) | U16(at + 2) << 16; }

 private:
  ByteView bytes_;
};

struct Header {
  uint32_t pixels = 0, size = 0, bits = 0, compression = 0, colours = 0;
  int64_t width = 0, height = 0;
  bool from_top = false;
  std::array<uint32_t, 3> masks{};  // of 16 and 32 bits: red, green, blue
  int64_t row_bytes() const { return (width * bits + 31) / 32 * 4; }
};

Result<Header> ReadHeader(const Fields& f) {
  Header h;
  h.pixels = f.U32(10);
  h.size = f.U32(kFileHeader);
  if (h.size == kCoreHeader) {
    h.width = f.U16(18);
    h.height = f.U16(20);
    h.bits = f.U16(24);
  } else {
    h.width = static_cast<int32_t>(f.U32(18));
    h.height = static_cast<int32_t>(f.U32(22));
    h.bits = f.U16(28);
    h.compression = f.U32(30);
    h.colours = f.U32(46);
  }
  h.from_top = h.height < 0;
  h.height = h.from_top ? -h.height : h.height;
  if (h.bits == 16) h.masks = {0x7c00, 0x3e0, 0x1f};
  if (h.bits == 32) h.masks = {0xff0000, 0xff00, 0xff};
  const bool has_masks = h.compression == 3 && (h.bits == 16 || h.bits == 32);
  if (has_masks) h.masks = {f.U32(54), f.U32(58), f.U32(62)};
  const bool known_bits =
      h.bits == 1 || h.bits == 4 || h.bits == 8 || h.bits == 16 || h.bits == 24 || h.bits == 32;
  if ((h.compression != 0 && !has_masks) || !known_bits || (h.size != kCoreHeader && h.size < 40)) {
    return Status::Of(Code::kUnsupported, "BMP of {} bits, compression {}, header {}", h.bits,
                      h.compression, h.size);
  }
  return h;
}

// The bits of a mask, spread to 0 to 255.
uint8_t Channel(uint32_t pixel, uint32_t mask) {
  if (mask == 0) return 0;
  const int shift = std::countr_zero(mask);
  const uint64_t most = mask >> shift;
  return static_cast<uint8_t>((uint64_t{(pixel & mask) >> shift} * 255 + most / 2) / most);
}

// Pixel `x` of the row that begins at byte `row`.
std::array<uint8_t, 3> PixelAt(const Fields& f, const Header& h, size_t row, int64_t x) {
  const auto bit = static_cast<size_t>(x) * h.bits;
  const size_t at = row + bit / 8;
  if (h.bits == 24) {
    return {static_cast<uint8_t>(f.U8(at + 2)), static_cast<uint8_t>(f.U8(at + 1)),
            static_cast<uint8_t>(f.U8(at))};
  }
  if (h.bits >= 16) {
    const uint32_t pixel = h.bits == 16 ? f.U16(at) : f.U32(at);
    return {Channel(pixel, h.masks[0]), Channel(pixel, h.masks[1]), Channel(pixel, h.masks[2])};
  }
  const uint32_t index = f.U8(at) >> (8 - h.bits - bit % 8) & ((1u << h.bits) - 1);
  const size_t each = h.size == kCoreHeader ? 3 : 4;
  const size_t entry = kFileHeader + h.size + index * each;
  return {static_cast<uint8_t>(f.U8(entry + 2)), static_cast<uint8_t>(f.U8(entry + 1)),
          static_cast<uint8_t>(f.U8(entry))};
}

}  // namespace

Result<tensor::Tensor> DecodeBmp(ByteView bytes, const ImageBudget& budget) {
  const Fields f(bytes);
  FERRY_ASSIGN_OR_RETURN(const Header h, ReadHeader(f));
  if (h.width < 1 || h.height < 1 || h.width > kMaxPixels || h.height > kMaxPixels ||
      h.pixels > bytes.size() ||
      h.row_bytes() > static_cast<int64_t>(bytes.size() - h.pixels) / h.height) {
    return Status::Of(Code::kMalformed, "BMP of {} x {} in {} bytes", h.width, h.height,
                      bytes.size());
  }
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor image, NewImage(h.height, h.width, budget));
  uint8_t* out = image.mutable_raw();
  for (int64_t y = 0; y < h.height; ++y) {
    const int64_t from = h.from_top ? y : h.height - 1 - y;
    const auto row = h.pixels + static_cast<size_t>(from * h.row_bytes());
    for (int64_t x = 0; x < h.width; ++x) {
      for (uint8_t channel : PixelAt(f, h, row, x)) *out++ = channel;
    }
  }
  return image;
}

}  // namespace ferry::ops
