// Image files to pixels, for the operator ImageDecoder. One reader a format; each sees bytes from
// outside.
#pragma once

#include <cstdint>
#include <memory>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/tensor/tensor.h"

namespace ferry::ops {

// Larger images are refused before memory is taken.
inline constexpr int64_t kMaxPixels = int64_t{1} << 27;

using ImageBudget = std::shared_ptr<tensor::MemoryBudget>;

// An image is u8 [height,width,3]: rows from the top, red, green, blue. Known by the first bytes:
// JPEG, PNG, WebP, JPEG 2000 (these only with FERRY_OPS_IMAGES, the last two where their libraries
// are), BMP, PNM (P1 to P6). kMalformed for bytes that follow no such format, kUnsupported naming a
// format that is not read (TIFF, GIF, rare kinds of BMP), kLimitExceeded past kMaxPixels,
// kOutOfMemory.
Result<tensor::Tensor> DecodeImage(ByteView bytes, const ImageBudget& budget);

// The single readers.
Result<tensor::Tensor> DecodeJpeg(ByteView bytes, const ImageBudget& budget);
Result<tensor::Tensor> DecodePng(ByteView bytes, const ImageBudget& budget);
Result<tensor::Tensor> DecodeWebp(ByteView bytes, const ImageBudget& budget);
Result<tensor::Tensor> DecodeJpeg2000(ByteView bytes, const ImageBudget& budget);
Result<tensor::Tensor> DecodeBmp(ByteView bytes, const ImageBudget& budget);
Result<tensor::Tensor> DecodePnm(ByteView bytes, const ImageBudget& budget);

// u8 [height,width,channels], uncleared, after checking the extents.
Result<tensor::Tensor> NewImage(int64_t height, int64_t width, const ImageBudget& budget,
                                int64_t channels = 3);

}  // namespace ferry::ops
