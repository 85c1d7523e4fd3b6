// JPEG 2000 by OpenJPEG: files (JP2) and bare codestreams. Grey or colour, the channels of one
// size; other depths than 8 bits are scaled, transparency is dropped.
#include "device-runtime/ops/image/image.h"

#if FERRY_OPS_JPEG2000
#include <openjpeg.h>

#include <algorithm>
#include <cstring>

#include "common/sys/shared_library.h"
#include "device-runtime/ops/library_names.gen.inc"
#endif

namespace ferry::ops {

#if FERRY_OPS_JPEG2000

namespace {

// The library keeps each channel in 32 bits, and its coefficients too.
constexpr int64_t kMaxJpeg2000Pixels = kMaxPixels / 8;
constexpr uint32_t kMaxDepth = 16;

#define FERRY_OPENJPEG_FUNCTIONS(F)     \
  F(opj_create_decompress)              \
  F(opj_decode)                         \
  F(opj_destroy_codec)                  \
  F(opj_image_destroy)                  \
  F(opj_read_header)                    \
  F(opj_set_default_decoder_parameters) \
  F(opj_setup_decoder)                  \
  F(opj_stream_default_create)          \
  F(opj_stream_destroy)                 \
  F(opj_stream_set_read_function)       \
  F(opj_stream_set_seek_function)       \
  F(opj_stream_set_skip_function)       \
  F(opj_stream_set_user_data)           \
  F(opj_stream_set_user_data_length)
FERRY_LIBRARY_TABLE(OpenJpegFunctions, FERRY_OPENJPEG_FUNCTIONS)

const Result<OpenJpegFunctions>& LoadOpenJpeg() {
  static const auto loaded = sys::LoadTable<OpenJpegFunctions>({kOpenJpegLibrary}, "libopenjp2-7");
  return loaded;
}

struct Source {
  ByteView bytes;
  size_t at = 0;
};

OPJ_SIZE_T Read(void* to, OPJ_SIZE_T size, void* data) {
  auto& source = *static_cast<Source*>(data);
  const size_t part = std::min(size, source.bytes.size() - source.at);
  if (part == 0) return static_cast<OPJ_SIZE_T>(-1);
  std::memcpy(to, source.bytes.data() + source.at, part);
  source.at += part;
  return part;
}

OPJ_OFF_T Skip(OPJ_OFF_T size, void* data) {
  auto& source = *static_cast<Source*>(data);
  if (size < 0 || static_cast<uint64_t>(size) > source.bytes.size() - source.at) return -1;
  source.at += static_cast<size_t>(size);
  return size;
}

OPJ_BOOL Seek(OPJ_OFF_T to, void* data) {
  auto& source = *static_cast<Source*>(data);
  if (to < 0 || static_cast<uint64_t>(to) > source.bytes.size()) return OPJ_FALSE;
  source.at = static_cast<size_t>(to);
  return OPJ_TRUE;
}

// What the library makes, given back at the end.
struct Decoder {
  Decoder(const OpenJpegFunctions& functions, ByteView bytes, bool is_file)
      : lib(functions),
        source{bytes, 0},
        codec(lib.opj_create_decompress(is_file ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K)),
        stream(lib.opj_stream_default_create(OPJ_TRUE)) {}
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() {
    if (image != nullptr) lib.opj_image_destroy(image);
    if (stream != nullptr) lib.opj_stream_destroy(stream);
    if (codec != nullptr) lib.opj_destroy_codec(codec);
  }
  const OpenJpegFunctions& lib;
  Source source;
  opj_codec_t* codec;
  opj_stream_t* stream;
  opj_image_t* image = nullptr;
};

Status Malformed() {
  return Status(Code::kMalformed, "JPEG 2000: the image is damaged or cut");
}

Status ReadHeader(Decoder& d) {
  if (d.codec == nullptr || d.stream == nullptr) return Status(Code::kOutOfMemory, "JPEG 2000");
  d.lib.opj_stream_set_user_data(d.stream, &d.source, nullptr);
  d.lib.opj_stream_set_user_data_length(d.stream, d.source.bytes.size());
  d.lib.opj_stream_set_read_function(d.stream, Read);
  d.lib.opj_stream_set_skip_function(d.stream, Skip);
  d.lib.opj_stream_set_seek_function(d.stream, Seek);
  opj_dparameters_t parameters;
  d.lib.opj_set_default_decoder_parameters(&parameters);
  if (d.lib.opj_setup_decoder(d.codec, &parameters) == OPJ_FALSE ||
      d.lib.opj_read_header(d.stream, d.codec, &d.image) == OPJ_FALSE) {
    return Malformed();
  }
  const opj_image_t& image = *d.image;
  if (image.numcomps < 1 || image.numcomps > 4) {
    return Status::Of(Code::kUnsupported, "JPEG 2000 of {} channels", image.numcomps);
  }
  const int64_t width = int64_t{image.x1} - image.x0;
  const int64_t height = int64_t{image.y1} - image.y0;
  if (width < 1 || height < 1) return Malformed();
  if (width > kMaxJpeg2000Pixels || height > kMaxJpeg2000Pixels / width) {
    return Status::Of(Code::kLimitExceeded, "an image of {} x {}", width, height);
  }
  return OkStatus();
}

Status CheckChannels(const opj_image_t& image) {
  if (image.color_space == OPJ_CLRSPC_SYCC || image.color_space == OPJ_CLRSPC_EYCC ||
      image.color_space == OPJ_CLRSPC_CMYK) {
    return Status(Code::kUnsupported, "JPEG 2000 in other colours than grey and RGB");
  }
  const opj_image_comp_t& first = image.comps[0];
  for (uint32_t i = 0; i < image.numcomps; ++i) {
    const opj_image_comp_t& channel = image.comps[i];
    if (channel.data == nullptr) return Malformed();
    if (channel.w != first.w || channel.h != first.h || channel.prec < 1 ||
        channel.prec > kMaxDepth) {
      return Status::Of(Code::kUnsupported, "JPEG 2000 with channels of {} x {}, {} bits",
                        channel.w, channel.h, channel.prec);
    }
  }
  return OkStatus();
}

uint8_t Level(const opj_image_comp_t& channel, int64_t at) {
  const int64_t most = (int64_t{1} << channel.prec) - 1;
  const int64_t raised = channel.data[at] + (channel.sgnd != 0 ? (most + 1) / 2 : 0);
  return static_cast<uint8_t>((std::clamp<int64_t>(raised, 0, most) * 255 + most / 2) / most);
}

}  // namespace

Result<tensor::Tensor> DecodeJpeg2000(ByteView bytes, const ImageBudget& budget) {
  const Result<OpenJpegFunctions>& lib = LoadOpenJpeg();
  if (!lib.ok()) return lib.status().Context("JPEG 2000 images");
  Decoder d(*lib, bytes, !bytes.empty() && bytes[0] == 0);
  FERRY_TRY(ReadHeader(d));
  if (d.lib.opj_decode(d.codec, d.stream, d.image) == OPJ_FALSE) return Malformed();
  FERRY_TRY(CheckChannels(*d.image));
  const opj_image_comp_t& first = d.image->comps[0];
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor image, NewImage(first.h, first.w, budget));
  const bool is_grey = d.image->numcomps < 3;
  for (int64_t i = 0; i < image.elements(); ++i) {
    image.mutable_raw()[i] = Level(d.image->comps[is_grey ? 0 : i % 3], i / 3);
  }
  return image;
}

#else

Result<tensor::Tensor> DecodeJpeg2000(ByteView, const ImageBudget&) {
  return Status(Code::kUnsupported, "JPEG 2000 images need a build with OpenJPEG");
}

#endif

}  // namespace ferry::ops
