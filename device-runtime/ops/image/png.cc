// PNG by libpng. Transparency is dropped, 16 bits become 8.
#include "device-runtime/ops/image/image.h"

#if FERRY_OPS_IMAGES
#include <png.h>

#include "common/sys/shared_library.h"
#include "device-runtime/ops/library_names.gen.inc"
#endif

namespace ferry::ops {

#if FERRY_OPS_IMAGES

namespace {

#define FERRY_PNG_FUNCTIONS(F)        \
  F(png_image_begin_read_from_memory) \
  F(png_image_finish_read)            \
  F(png_image_free)
FERRY_LIBRARY_TABLE(PngFunctions, FERRY_PNG_FUNCTIONS)

const Result<PngFunctions>& LoadPng() {
  static const auto loaded = sys::LoadTable<PngFunctions>({kPngLibrary}, "libpng16-16");
  return loaded;
}

Result<tensor::Tensor> Read(const PngFunctions& lib, png_image& png, ByteView bytes,
                            const ImageBudget& budget) {
  if (lib.png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    return Status::Of(Code::kMalformed, "PNG: {}", png.message);
  }
  const bool has_alpha = (png.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  png.format = has_alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor image,
                         NewImage(png.height, png.width, budget, has_alpha ? 4 : 3));
  if (lib.png_image_finish_read(&png, nullptr, image.mutable_raw(), 0, nullptr) == 0) {
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
  const Result<PngFunctions>& lib = LoadPng();
  if (!lib.ok()) return lib.status().Context("PNG images");
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  auto image = Read(*lib, png, bytes, budget);
  lib->png_image_free(&png);
  return image;
}

#else

Result<tensor::Tensor> DecodePng(ByteView, const ImageBudget&) {
  return Status(Code::kUnsupported, "PNG images need a build with FERRY_OPS_IMAGES");
}

#endif

}  // namespace ferry::ops
