// ImageDecoder (ONNX): the bytes of an image file to u8 [height,width,channels].
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/image/image.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

// Luma of ITU-R BT.601 in 16 bits.
uint8_t Grey(const uint8_t* rgb) {
  return static_cast<uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
}

Status EvaluateImageDecoder(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor encoded, c.TensorIn(0));
  FERRY_ASSIGN_OR_RETURN(const std::string format, c.Text("pixel_format", "RGB"));
  if (encoded.dtype() != DType::kU8 || encoded.shape().rank() != 1) {
    return Status::Of(Code::kShapeMismatch, "{} is no file", encoded.TypeText());
  }
  if (format != "RGB" && format != "BGR" && format != "Grayscale") {
    return Status::Of(Code::kBadModel, "pixel_format is '{}'", format);
  }
  FERRY_ASSIGN_OR_RETURN(Tensor image, DecodeImage(encoded.bytes(), c.budget()));
  const int64_t pixels = image.elements() / 3;
  uint8_t* data = image.mutable_raw();
  if (format == "BGR") {
    for (int64_t i = 0; i < pixels; ++i) std::swap(data[3 * i], data[3 * i + 2]);
  } else if (format == "Grayscale") {
    FERRY_ASSIGN_OR_RETURN(Tensor grey,
                           c.Allocate(DType::kU8, {image.shape()[0], image.shape()[1], 1}));
    for (int64_t i = 0; i < pixels; ++i) grey.mutable_raw()[i] = Grey(data + 3 * i);
    image = std::move(grey);
  }
  c.SetOutput(0, std::move(image));
  return OkStatus();
}

}  // namespace

extern const Op kImageDecoderOp;
const Op kImageDecoderOp = {.name = "ImageDecoder",
                            .min_inputs = 1,
                            .max_inputs = 1,
                            .min_outputs = 1,
                            .max_outputs = 1,
                            .evaluate = EvaluateImageDecoder};

}  // namespace ferry::ops
