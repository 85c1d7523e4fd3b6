// Pictures as inputs of models: decoded, resized, laid out.
#pragma once

#include <string>
#include <vector>

#include "device-runtime/engine/engine.h"

namespace ferry::cli {

// How pictures become numbers.
struct PictureOptions {
  // x / 255, then (x - mean) / std, by channel or one for all. Where one of them is above 1 they
  // are of 0 to 255. Empty: 0 and 1, and integers keep 0 to 255.
  std::vector<double> mean, std;
  std::string layout;  // nchw, nhwc; "": as the input's extents tell
};

// By its first bytes, or by a name that ends as those of pictures do.
bool IsPicture(const std::string& file, ByteView bytes);

// PNG, JPEG, WebP, JPEG 2000, BMP or PNM to the input's type and shape: stretched to its height and
// width with linear filtering (over all pixels that one covers, where it gets smaller), grey where
// the input has one channel. `dims` are the input's with what --shape says; free ones are 1 (the
// batch) or the picture's own. kInvalidArgument for an input that is no picture's.
Result<engine::Tensor> PictureTensor(const engine::IoInfo& input, std::vector<int64_t> dims,
                                     ByteView bytes, const PictureOptions& options);

// u8 [height,width,3] at another size.
Result<engine::Tensor> ResizePicture(const engine::Tensor& picture, int64_t height, int64_t width);

}  // namespace ferry::cli
