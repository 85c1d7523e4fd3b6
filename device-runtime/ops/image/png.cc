// PNG by libpng. Transparency is dropped, 16 bits become 8.
#include "device-runtime/ops/image/image.h"

#if FERRY_OPS_IMAGES
#include <png.h>
#endif

namespace ferry::ops {

#if FERRY_OPS_IMAGES

namespace {

Result<tensor::Tensor> Read(png_image& png, ByteView bytes, const ImageBudget& budget) {
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    return Status::Of(Code::kMalformed, "PNG: {}", png.message);
  }
  const bool has_alpha = (png.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  png.format = has_alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor image,
                         NewImage(png.height, png.width, budget, has_alpha ? 4 : 3));
  if (png_image_finish_read(&png, nullptr, image.mutable_raw(), 0, nullptr) == 0) {
    return Status::Of(Code::kMalformed, "PNG: {}", png.message);
  }
  if (!has_alpha) return image;
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor rgb, NewImage(png.height, png.width, budget));
  for (int64_t i = 0; i < rgb.elements(); ++i) {
    rgb.mutable_raw()[i] = image.raw()[i / 3 * 4 + i % 3];
  }
  return rgb;
}

}  // namespace

Result<tensor::Tensor> DecodePng(ByteView bytes, const ImageBudget& budget) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  auto image = Read(png, bytes, budget);
  png_image_free(&png);
  return image;
}

#else

Result<tensor::Tensor> DecodePng(ByteView, const ImageBudget&) {
  return Status(Code::kUnsupported, "PNG images need a build with FERRY_OPS_IMAGES");
}

#endif

}  // namespace ferry::ops
