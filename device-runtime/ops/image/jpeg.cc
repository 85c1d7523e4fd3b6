// JPEG by libjpeg-turbo. The library reports errors by longjmp: functions that call it hold nothing
// that needs a destructor.
#include "device-runtime/ops/image/image.h"

#if FERRY_OPS_IMAGES
#include <csetjmp>
#include <cstdio>
// After <cstdio>, which it needs.
#include <jerror.h>
#include <jpeglib.h>

#include "common/sys/shared_library.h"
#include "device-runtime/ops/library_names.gen.inc"
#endif

namespace ferry::ops {

#if FERRY_OPS_IMAGES

namespace {

constexpr long kMaxWorkBytes = 256 << 20;  // NOLINT: the library's type; of coefficients

#define FERRY_JPEG_FUNCTIONS(F)  \
  F(jpeg_CreateDecompress)       \
  F(jpeg_calc_output_dimensions) \
  F(jpeg_destroy_decompress)     \
  F(jpeg_mem_src)                \
  F(jpeg_read_header)            \
  F(jpeg_read_scanlines)         \
  F(jpeg_start_decompress)       \
  F(jpeg_std_error)
FERRY_LIBRARY_TABLE(JpegFunctions, FERRY_JPEG_FUNCTIONS)

const Result<JpegFunctions>& LoadJpeg() {
  static const auto loaded = sys::LoadTable<JpegFunctions>({kJpegLibrary}, "libjpeg62-turbo");
  return loaded;
}

struct Jpeg {
  const JpegFunctions& lib;
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  std::jmp_buf jump;
  bool is_cut;  // the bytes end too early
  char message[JMSG_LENGTH_MAX];
};

Jpeg& Of(j_common_ptr info) {
  return *static_cast<Jpeg*>(info->client_data);
}

[[noreturn]] void OnError(j_common_ptr info) {
  Jpeg& jpeg = Of(info);
  (*info->err->format_message)(info, jpeg.message);
  std::longjmp(jpeg.jump, 1);
}

void OnMessage(j_common_ptr info, int) {
  if (info->err->msg_code == JWRN_JPEG_EOF) Of(info).is_cut = true;
}

bool ReadHeader(Jpeg& jpeg, ByteView bytes) {
  if (setjmp(jpeg.jump) != 0) return false;
  jpeg.lib.jpeg_create_decompress(&jpeg.info);
  jpeg.info.mem->max_memory_to_use = kMaxWorkBytes;
  jpeg.lib.jpeg_mem_src(&jpeg.info, bytes.data(), bytes.size());
  jpeg.lib.jpeg_read_header(&jpeg.info, TRUE);
  jpeg.info.out_color_space = JCS_RGB;
  jpeg.lib.jpeg_calc_output_dimensions(&jpeg.info);
  return true;
}

bool ReadRows(Jpeg& jpeg, uint8_t* rgb) {
  if (setjmp(jpeg.jump) != 0) return false;
  jpeg.lib.jpeg_start_decompress(&jpeg.info);
  while (jpeg.info.output_scanline < jpeg.info.output_height && !jpeg.is_cut) {
    JSAMPROW row = rgb + size_t{jpeg.info.output_scanline} * jpeg.info.output_width * 3;
    jpeg.lib.jpeg_read_scanlines(&jpeg.info, &row, 1);
  }
  return !jpeg.is_cut;
}

// Rows for a header that has been read.
Result<tensor::Tensor> Read(Jpeg& jpeg, ByteView bytes, const ImageBudget& budget) {
  if (!ReadHeader(jpeg, bytes)) return Status::Of(Code::kMalformed, "JPEG: {}", jpeg.message);
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor image,
                         NewImage(jpeg.info.output_height, jpeg.info.output_width, budget));
  if (ReadRows(jpeg, image.mutable_raw())) return image;
  return Status::Of(Code::kMalformed, "JPEG: {}", jpeg.is_cut ? "cut off" : jpeg.message);
}

}  // namespace

Result<tensor::Tensor> DecodeJpeg(ByteView bytes, const ImageBudget& budget) {
  const Result<JpegFunctions>& lib = LoadJpeg();
  if (!lib.ok()) return lib.status().Context("JPEG images");
  const std::unique_ptr<Jpeg> jpeg(new Jpeg{.lib = *lib});
  jpeg->info.err = jpeg->lib.jpeg_std_error(&jpeg->errors);
  jpeg->info.client_data = jpeg.get();
  jpeg->errors.error_exit = OnError;
  jpeg->errors.emit_message = OnMessage;
  auto image = Read(*jpeg, bytes, budget);
  jpeg->lib.jpeg_destroy_decompress(&jpeg->info);
  return image;
}

#else

Result<tensor::Tensor> DecodeJpeg(ByteView, const ImageBudget&) {
  return Status(Code::kUnsupported, "JPEG images need a build with FERRY_OPS_IMAGES");
}

#endif

}  // namespace ferry::ops
