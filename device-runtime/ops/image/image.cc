#include "device-runtime/ops/image/image.h"

#include <algorithm>

namespace ferry::ops {
namespace {

bool Begins(ByteView bytes, std::string_view with, size_t at = 0) {
  return bytes.size() >= at + with.size() && AsText(bytes.subspan(at, with.size())) == with;
}

Status NotRead(const char* format) {
  return Status::Of(Code::kUnsupported, "{} images are not read", format);
}

}  // namespace

Result<tensor::Tensor> NewImage(int64_t height, int64_t width, const ImageBudget& budget,
                                int64_t channels) {
  if (height < 1 || width < 1) {
    return Status::Of(Code::kMalformed, "an image of {} x {}", width, height);
  }
  if (width > kMaxPixels || height > kMaxPixels / width) {
    return Status::Of(Code::kLimitExceeded, "an image of {} x {}", width, height);
  }
  return tensor::Tensor::Allocate(tensor::DType::kU8, {height, width, channels}, budget);
}

Result<tensor::Tensor> DecodeImage(ByteView bytes, const ImageBudget& budget) {
  using namespace std::string_view_literals;
  if (Begins(bytes, "\xff\xd8\xff"sv)) return DecodeJpeg(bytes, budget);
  if (Begins(bytes, "\x89PNG\r\n\x1a\n"sv)) return DecodePng(bytes, budget);
  if (Begins(bytes, "BM"sv)) return DecodeBmp(bytes, budget);
  if (bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6') {
    return DecodePnm(bytes, budget);
  }
  if (Begins(bytes, "II*\0"sv) || Begins(bytes, "MM\0*"sv)) return NotRead("TIFF");
  if (Begins(bytes, "RIFF"sv) && Begins(bytes, "WEBP"sv, 8)) return DecodeWebp(bytes, budget);
  if (Begins(bytes, "\0\0\0\x0cjP  "sv) || Begins(bytes, "\xff\x4f\xff\x51"sv)) {
    return DecodeJpeg2000(bytes, budget);
  }
  if (Begins(bytes, "GIF8"sv)) return NotRead("GIF");
  return Status(Code::kMalformed, "the bytes begin as no image does");
}

}  // namespace ferry::ops
