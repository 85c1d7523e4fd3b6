// WebP by libwebp: the lossy and the lossless kind. Transparency is dropped; of what moves nothing
// is read.
#include "device-runtime/ops/image/image.h"

#if FERRY_OPS_WEBP
#include <webp/decode.h>

#include "common/sys/shared_library.h"
#include "device-runtime/ops/library_names.gen.inc"
#endif

namespace ferry::ops {

#if FERRY_OPS_WEBP

namespace {

// WebPGetFeatures of the header calls the first.
#define FERRY_WEBP_FUNCTIONS(F) F(WebPGetFeaturesInternal) F(WebPDecodeRGBInto)
FERRY_LIBRARY_TABLE(WebpFunctions, FERRY_WEBP_FUNCTIONS)

const Result<WebpFunctions>& LoadWebp() {
  static const auto loaded = sys::LoadTable<WebpFunctions>({kWebpLibrary}, "libwebp7");
  return loaded;
}

}  // namespace

Result<tensor::Tensor> DecodeWebp(ByteView bytes, const ImageBudget& budget) {
  const Result<WebpFunctions>& lib = LoadWebp();
  if (!lib.ok()) return lib.status().Context("WebP images");
  WebPBitstreamFeatures features;
  if (lib->WebPGetFeaturesInternal(bytes.data(), bytes.size(), &features,
                                   WEBP_DECODER_ABI_VERSION) != VP8_STATUS_OK) {
    return Status(Code::kMalformed, "WebP: no header that can be read");
  }
  if (features.has_animation != 0) return Status(Code::kUnsupported, "animated WebP images");
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor image, NewImage(features.height, features.width, budget));
  const auto size = static_cast<size_t>(image.elements());
  if (lib->WebPDecodeRGBInto(bytes.data(), bytes.size(), image.mutable_raw(), size,
                             features.width * 3) == nullptr) {
    return Status(Code::kMalformed, "WebP: the image is damaged or cut");
  }
  return image;
}

#else

Result<tensor::Tensor> DecodeWebp(ByteView, const ImageBudget&) {
  return Status(Code::kUnsupported, "WebP images need a build with libwebp");
}

#endif

}  // namespace ferry::ops
