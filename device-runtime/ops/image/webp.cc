// WebP by libwebp: the lossy and the lossless kind. Transparency is dropped; of what moves nothing
// is read.
#include "device-runtime/ops/image/image.h"

#if FERRY_OPS_WEBP
#include <webp/decode.h>
#endif

namespace ferry::ops {

#if FERRY_OPS_WEBP

Result<tensor::Tensor> DecodeWebp(ByteView bytes, const ImageBudget& budget) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK) {
    return Status(Code::kMalformed, "WebP: no header that can be read");
  }
  if (features.has_animation != 0) return Status(Code::kUnsupported, "animated WebP images");
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor image, NewImage(features.height, features.width, budget));
  const auto size = static_cast<size_t>(image.elements());
  if (WebPDecodeRGBInto(bytes.data(), bytes.size(), image.mutable_raw(), size,
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
