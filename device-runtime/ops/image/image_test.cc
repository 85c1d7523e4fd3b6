#include "device-runtime/ops/image/image.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "device-runtime/ops/library_names.gen.inc"
#if FERRY_OPS_IMAGES
#include <cstdio>
// After <cstdio>, which it needs.
#include <jpeglib.h>
#include <png.h>
#endif
#if FERRY_OPS_JPEG2000
#include <openjpeg.h>
#endif
#if FERRY_OPS_WEBP
#include <webp/encode.h>
#endif

namespace ferry::ops {
namespace {

using tensor::Shape;

std::string Pixels(ByteView bytes) {
  auto image = DecodeImage(bytes, nullptr);
  if (!image.ok()) return std::string(InfoOf(image.code()).name);
  std::string text = image->shape().ToString();
  for (uint8_t value : image->bytes()) text += " " + std::to_string(value);
  return text;
}
std::string Pixels(std::string_view bytes) {
  return Pixels(AsBytes(bytes));
}

TEST(Image, Pnm) {
  using namespace std::string_view_literals;
  EXPECT_EQ(Pixels("P3 # colour\n2 1\n15\n15 0 5  3 2 1"), "[1,2,3] 255 0 85 51 34 17");
  EXPECT_EQ(Pixels("P6 1 1 255\n\x01\x02\x03"), "[1,1,3] 1 2 3");
  EXPECT_EQ(Pixels("P6 1 1 65535\n\xff\xff\x80\x80\0\0"sv), "[1,1,3] 255 128 0");
  EXPECT_EQ(Pixels("P2 1 2 100 50 100"), "[2,1,3] 128 128 128 255 255 255");
  EXPECT_EQ(Pixels("P5 1 1 255\n\x07"), "[1,1,3] 7 7 7");
  EXPECT_EQ(Pixels("P1 2 1 10"), "[1,2,3] 0 0 0 255 255 255");
  EXPECT_EQ(Pixels("P4 2 1\n\x40"), "[1,2,3] 255 255 255 0 0 0");
  EXPECT_EQ(Pixels("P6 1 1 255\n\x01\x02"), "malformed");
  EXPECT_EQ(Pixels("P6 1 1 0\n\x01\x02"), "malformed");
  EXPECT_EQ(Pixels("P6 0 1 255\n"), "malformed");
  EXPECT_EQ(Pixels("P6 1"), "malformed");
  EXPECT_EQ(Pixels("P6 99999999 99999999 255\n"), "limit_exceeded");
}

// A BMP of 2 x 2 with rows as given.
std::string Bmp(uint16_t bits, int32_t height, std::string_view palette, std::string_view rows) {
  std::string file = "BM";
  const auto put = [&](uint64_t value, int count) {
    for (int i = 0; i < count; ++i, value >>= 8) file += static_cast<char>(value);
  };
  put(0, 8);
  put(54 + palette.size(), 4);
  put(40, 4);
  put(2, 4);
  put(static_cast<uint32_t>(height), 4);
  put(1, 2);
  put(bits, 2);
  put(0, 24);
  file += palette;
  file += rows;
  return file;
}

TEST(Image, Bmp) {
  using namespace std::string_view_literals;
  const auto rows = "\x01\x02\x03\x04\x05\x06\0\0\x07\x08\x09\x0a\x0b\x0c\0\0"sv;
  EXPECT_EQ(Pixels(Bmp(24, 2, "", rows)), "[2,2,3] 9 8 7 12 11 10 3 2 1 6 5 4");
  EXPECT_EQ(Pixels(Bmp(24, -2, "", rows)), "[2,2,3] 3 2 1 6 5 4 9 8 7 12 11 10");
  EXPECT_EQ(Pixels(Bmp(1, 1, "\x01\x02\x03\0\x04\x05\x06\0"sv, "\x40\0\0\0"sv)),
            "[1,2,3] 3 2 1 6 5 4");
  EXPECT_EQ(Pixels(Bmp(16, 1, "", "\xff\x7f\x1f\0"sv)), "[1,2,3] 255 255 255 0 0 255");
  EXPECT_EQ(Pixels(Bmp(24, 3, "", rows)), "malformed");
  EXPECT_EQ(Pixels(Bmp(24, -2147483647 - 1, "", rows)), "malformed");
  EXPECT_EQ(Pixels(Bmp(7, 2, "", rows)), "unsupported");
  const std::string whole = Bmp(24, 2, "", rows);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(DecodeImage(AsBytes(whole).first(size), nullptr).ok(), false) << size;
  }
}

TEST(Image, OtherFormatsAreRefusedByName) {
  using namespace std::string_view_literals;
  for (std::string_view bytes : {"II*\0...."sv, "MM\0*...."sv, "GIF89a"sv}) {
    EXPECT_EQ(Pixels(bytes), "unsupported");
  }
  EXPECT_EQ(Pixels(""), "malformed");
  EXPECT_EQ(Pixels("hello"), "malformed");
}

#if FERRY_OPS_IMAGES

constexpr int kWidth = 5;
constexpr int kHeight = 3;

// Ends with status 0 after the error of an image of that format, in a process of its own that has
// loaded nothing yet.
[[noreturn]] void SayMissing(const char* library, std::string_view bytes) {
  ::setenv("FERRY_WITHOUT_LIBRARIES", library, 1);
  const auto image = DecodeImage(AsBytes(bytes), nullptr);
  std::fprintf(stderr, "%s", image.status().ToString().c_str());
  std::exit(0);
}

TEST(ImageDeathTest, AMissingLibraryIsNamedWithItsPackage) {
  using namespace std::string_view_literals;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(SayMissing(kJpegLibrary, "\xff\xd8\xff...."sv), testing::ExitedWithCode(0),
              "unsupported: JPEG images: the library libjpeg.so.* is missing; install Debian's "
              "libjpeg62-turbo ");
  EXPECT_EXIT(SayMissing(kPngLibrary, "\x89PNG\r\n\x1a\n...."sv), testing::ExitedWithCode(0),
              "unsupported: PNG images: the library libpng.* is missing; install Debian's "
              "libpng16-16 ");
#if FERRY_OPS_WEBP
  EXPECT_EXIT(SayMissing(kWebpLibrary, "RIFF....WEBP...."sv), testing::ExitedWithCode(0),
              "unsupported: WebP images: the library libwebp.so.* is missing; install Debian's "
              "libwebp7 ");
#endif
#if FERRY_OPS_JPEG2000
  EXPECT_EXIT(SayMissing(kOpenJpegLibrary, "\xff\x4f\xff\x51...."sv), testing::ExitedWithCode(0),
              "unsupported: JPEG 2000 images: the library libopenjp2.so.* is missing; install "
              "Debian's libopenjp2-7 ");
#endif
}

// Every prefix and many changed files: an error or an image, no crash.
void Mutate(const Bytes& file) {
  for (size_t size = 0; size < file.size(); ++size) {
    (void)DecodeImage(ByteView(file).first(size), nullptr);
  }
  for (size_t at = 0; at < file.size(); ++at) {
    for (uint8_t value : {0, 1, 127, 255}) {
      Bytes changed = file;
      changed[at] = value;
      auto budget = std::make_shared<tensor::MemoryBudget>(1 << 20);
      (void)DecodeImage(changed, budget);
      EXPECT_EQ(budget->used(), 0);
    }
  }
}

TEST(Image, Png) {
  std::vector<uint8_t> rgba;
  for (int i = 0; i < kWidth * kHeight * 4; ++i) rgba.push_back(static_cast<uint8_t>(3 * i + 1));
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = kWidth;
  png.height = kHeight;
  png.format = PNG_FORMAT_RGBA;
  Bytes file(4096);
  size_t size = file.size();
  ASSERT_NE(png_image_write_to_memory(&png, file.data(), &size, 0, rgba.data(), 0, nullptr), 0);
  file.resize(size);
  auto image = DecodeImage(file, nullptr);
  ASSERT_TRUE(image.ok()) << image.status().ToString();
  EXPECT_EQ(image->shape(), Shape({kHeight, kWidth, 3}));
  for (int i = 0; i < kWidth * kHeight * 3; ++i) {
    EXPECT_EQ(image->raw()[i], rgba[static_cast<size_t>(i / 3 * 4 + i % 3)]);
  }
  Mutate(file);
}

TEST(Image, Jpeg) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* data = nullptr;
  unsigned long size = 0;  // NOLINT: the library's type
  jpeg_mem_dest(&info, &data, &size);
  info.image_width = kWidth;
  info.image_height = kHeight;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  std::vector<uint8_t> row(kWidth * 3, 200);
  for (int y = 0; y < kHeight; ++y) {
    JSAMPROW rows = row.data();
    jpeg_write_scanlines(&info, &rows, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  Bytes file(data, data + size);
  free(data);
  auto image = DecodeImage(file, nullptr);
  ASSERT_TRUE(image.ok()) << image.status().ToString();
  EXPECT_EQ(image->shape(), Shape({kHeight, kWidth, 3}));
  for (int64_t i = 0; i < image->elements(); ++i) EXPECT_NEAR(image->raw()[i], 200, 1);
  EXPECT_EQ(Pixels(ByteView(file).first(file.size() - 10)), "malformed");
  Mutate(file);
}

#if FERRY_OPS_WEBP

TEST(Image, Webp) {
  std::vector<uint8_t> rgb;
  for (int i = 0; i < kWidth * kHeight * 3; ++i) rgb.push_back(static_cast<uint8_t>(5 * i + 1));
  uint8_t* data = nullptr;
  const size_t size = WebPEncodeLosslessRGB(rgb.data(), kWidth, kHeight, 3 * kWidth, &data);
  const Bytes file(data, data + size);
  WebPFree(data);
  auto image = DecodeImage(file, nullptr);
  ASSERT_TRUE(image.ok()) << image.status().ToString();
  EXPECT_EQ(image->shape(), Shape({kHeight, kWidth, 3}));
  for (int64_t i = 0; i < image->elements(); ++i) {
    EXPECT_EQ(image->raw()[i], rgb[static_cast<size_t>(i)]);
  }
  EXPECT_EQ(Pixels(ByteView(file).first(file.size() / 2)), "malformed");
  Mutate(file);
}

#endif

#if FERRY_OPS_JPEG2000

// Writes behind what is there.
OPJ_SIZE_T Append(void* from, OPJ_SIZE_T size, void* to) {
  auto& file = *static_cast<Bytes*>(to);
  file.insert(file.end(), static_cast<uint8_t*>(from), static_cast<uint8_t*>(from) + size);
  return size;
}

// Lossless, of `channels` with value (7 x + 11 y + 50 c) % 256.
Bytes Jpeg2000(uint32_t channels) {
  opj_cparameters_t parameters;
  opj_set_default_encoder_parameters(&parameters);
  parameters.numresolution = 1;
  opj_image_cmptparm_t kind[3] = {};
  for (auto& k : kind) {
    k = {.dx = 1,
         .dy = 1,
         .w = kWidth,
         .h = kHeight,
         .x0 = 0,
         .y0 = 0,
         .prec = 8,
         .bpp = 8,
         .sgnd = 0};
  }
  opj_image_t* image =
      opj_image_create(channels, kind, channels == 1 ? OPJ_CLRSPC_GRAY : OPJ_CLRSPC_SRGB);
  image->x1 = kWidth;
  image->y1 = kHeight;
  for (uint32_t c = 0; c < channels; ++c) {
    for (int i = 0; i < kWidth * kHeight; ++i) {
      image->comps[c].data[i] = (7 * (i % kWidth) + 11 * (i / kWidth) + 50 * int(c)) % 256;
    }
  }
  Bytes file;
  opj_codec_t* codec = opj_create_compress(OPJ_CODEC_J2K);
  opj_stream_t* stream = opj_stream_default_create(OPJ_FALSE);
  opj_stream_set_user_data(stream, &file, nullptr);
  opj_stream_set_write_function(stream, Append);
  EXPECT_TRUE(opj_setup_encoder(codec, &parameters, image));
  EXPECT_TRUE(opj_start_compress(codec, image, stream) && opj_encode(codec, stream) &&
              opj_end_compress(codec, stream));
  opj_stream_destroy(stream);
  opj_destroy_codec(codec);
  opj_image_destroy(image);
  return file;
}

TEST(Image, Jpeg2000) {
  for (uint32_t channels : {1u, 3u}) {
    const Bytes file = Jpeg2000(channels);
    auto image = DecodeImage(file, nullptr);
    ASSERT_TRUE(image.ok()) << image.status().ToString();
    EXPECT_EQ(image->shape(), Shape({kHeight, kWidth, 3}));
    for (int i = 0; i < kWidth * kHeight * 3; ++i) {
      const int at = i / 3, c = channels == 1 ? 0 : i % 3;
      EXPECT_EQ(image->raw()[i], (7 * (at % kWidth) + 11 * (at / kWidth) + 50 * c) % 256);
    }
    EXPECT_EQ(Pixels(ByteView(file).first(file.size() / 2)), "malformed");
    Mutate(file);
  }
}

#endif

#endif

}  // namespace
}  // namespace ferry::ops
