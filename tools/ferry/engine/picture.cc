#include "tools/ferry/engine/picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/ranges.h>

#include "common/sys/files/file_kind.h"
#include "device-runtime/ops/image/image.h"

namespace ferry::cli {
namespace {

using engine::DType;
using engine::IoInfo;
using engine::Tensor;

constexpr int64_t kColours = 3;
constexpr double kMostLevel = 255;

// What one place of a resized row or column is made of.
struct Taps {
  int64_t first = 0;
  std::vector<double> weights;
};

// A triangle as wide as the step from one place to the next, at least two wide.
std::vector<Taps> TapsOf(int64_t from, int64_t to) {
  const double step = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(step, 1.0);
  std::vector<Taps> all(static_cast<size_t>(to));
  for (int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * step - 0.5;
    Taps& taps = all[static_cast<size_t>(i)];
    taps.first = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(centre - reach)), 0, from - 1);
    const auto last =
        std::clamp<int64_t>(static_cast<int64_t>(std::floor(centre + reach)), taps.first, from - 1);
    double sum = 0;
    for (int64_t k = taps.first; k <= last; ++k) {
      const double weight = std::max(0.0, 1 - std::abs(static_cast<double>(k) - centre) / reach);
      taps.weights.push_back(weight);
      sum += weight;
    }
    for (double& weight : taps.weights) weight = sum > 0 ? weight / sum : 1;
  }
  return all;
}

// One row of pixels at its new width.
std::vector<double> Narrow(const uint8_t* pixels, const std::vector<Taps>& columns) {
  std::vector<double> line(columns.size() * kColours, 0.0);
  for (size_t x = 0; x < columns.size(); ++x) {
    const uint8_t* pixel = pixels + columns[x].first * kColours;
    for (const double weight : columns[x].weights) {
      for (size_t c = 0; c < kColours; ++c) line[x * kColours + c] += weight * *pixel++;
    }
  }
  return line;
}

// Where the parts of a picture lie among an input's extents; -1: it has none.
struct Places {
  int batch = -1, channel = -1, height = -1, width = -1;
};

bool IsChannels(int64_t extent) {
  return extent == 1 || extent == kColours;
}

Result<Places> PlacesOf(const IoInfo& input, const std::vector<int64_t>& dims,
                        const std::string& layout) {
  const auto rank = static_cast<int>(dims.size());
  if (rank == 2) return Places{.height = 0, .width = 1};
  const auto no_picture = [&](const char* why) {
    return Status::Of(Code::kInvalidArgument, "input \"{}\" [{}] {}", input.name,
                      fmt::join(dims, ","), why);
  };
  if (rank != 3 && rank != 4) return no_picture("takes no picture: give it as .npy or .json");
  const int first = rank - 3;
  const int64_t front = dims[static_cast<size_t>(first)], back = dims.back();
  const bool is_last = layout.empty() ? !IsChannels(front) && IsChannels(back) : layout == "nhwc";
  if (!IsChannels(is_last ? back : front) && (is_last ? back : front) != -1) {
    return no_picture("has no extent of 1 or 3 channels where a picture would: say --layout");
  }
  Places places = is_last ? Places{.channel = first + 2, .height = first, .width = first + 1}
                          : Places{.channel = first, .height = first + 1, .width = first + 2};
  places.batch = rank == 4 ? 0 : -1;
  if (rank == 4 && dims[0] > 1) return no_picture("takes several pictures at once: use .npy");
  return places;
}

// The factor and the offset of each channel's levels.
Result<std::array<std::array<double, 2>, kColours>> ScalesOf(const PictureOptions& options,
                                                             bool is_float) {
  for (const auto& [name, values] :
       {std::pair("--mean", &options.mean), std::pair("--std", &options.std)}) {
    if (values->size() != 0 && values->size() != 1 && values->size() != kColours) {
      return Status::Of(Code::kInvalidArgument, "{} has {} numbers instead of 1 or 3", name,
                        values->size());
    }
  }
  const auto of = [](const std::vector<double>& values, size_t channel, double other) {
    return values.empty() ? other : values[values.size() == 1 ? 0 : channel];
  };
  const auto above_one = [](double value) { return value > 1; };
  const bool of_levels =
      std::ranges::any_of(options.mean, above_one) || std::ranges::any_of(options.std, above_one);
  const bool is_plain = options.mean.empty() && options.std.empty() && !is_float;
  const double unit = of_levels || is_plain ? 1 : kMostLevel;
  std::array<std::array<double, 2>, kColours> scales;
  for (size_t c = 0; c < kColours; ++c) {
    const double deviation = of(options.std, c, 1);
    if (deviation == 0) return Status(Code::kInvalidArgument, "--std of 0");
    scales[c] = {1 / (unit * deviation), -of(options.mean, c, 0) / deviation};
  }
  return scales;
}

// Level of a channel; of one channel the brightness (ITU-R BT.601).
double LevelAt(const uint8_t* pixel, int64_t channel, bool is_grey) {
  if (!is_grey) return pixel[channel];
  return 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
}

}  // namespace

bool IsPicture(const std::string& file, ByteView bytes) {
  if (sys::FileKind(bytes).ends_with(" image")) return true;
  std::string end = file.substr(std::min(file.size(), file.rfind('.')));
  std::ranges::transform(end, end.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view kEnds[] = {".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp",
                                        ".jp2", ".ppm", ".pgm",  ".pbm",  ".tif", ".tiff"};
  return std::ranges::find(kEnds, end) != std::end(kEnds);
}

Result<Tensor> ResizePicture(const Tensor& picture, int64_t height, int64_t width) {
  const int64_t from_height = picture.shape()[0], from_width = picture.shape()[1];
  FERRY_ASSIGN_OR_RETURN(Tensor out, ops::NewImage(height, width, nullptr));
  const std::vector<Taps> columns = TapsOf(from_width, width);
  const std::vector<Taps> rows = TapsOf(from_height, height);
  // Rows at their new width: made when one first needs them, gone when none does any more.
  std::vector<std::vector<double>> narrow(static_cast<size_t>(from_height));
  size_t gone = 0;
  for (int64_t y = 0; y < height; ++y) {
    const Taps& row = rows[static_cast<size_t>(y)];
    for (; gone < static_cast<size_t>(row.first); ++gone) narrow[gone] = {};
    std::vector<double> sums(static_cast<size_t>(width * kColours), 0.0);
    for (size_t k = 0; k < row.weights.size(); ++k) {
      const int64_t from_y = row.first + static_cast<int64_t>(k);
      std::vector<double>& line = narrow[static_cast<size_t>(from_y)];
      if (line.empty()) line = Narrow(picture.raw() + from_y * from_width * kColours, columns);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += row.weights[k] * line[i];
    }
    uint8_t* to = out.mutable_raw() + y * width * kColours;
    for (size_t i = 0; i < sums.size(); ++i) {
      to[i] = static_cast<uint8_t>(std::clamp(std::lround(sums[i]), 0L, 255L));
    }
  }
  return out;
}

Result<Tensor> PictureTensor(const IoInfo& input, std::vector<int64_t> dims, ByteView bytes,
                             const PictureOptions& options) {
  if (input.dtype == DType::kString || input.dtype == DType::kBool) {
    return Status::Of(Code::kInvalidArgument, "input \"{}\" of {} takes no picture", input.name,
                      tensor::DTypeName(input.dtype));
  }
  FERRY_ASSIGN_OR_RETURN(const Places places, PlacesOf(input, dims, options.layout));
  FERRY_ASSIGN_OR_RETURN(Tensor picture, ops::DecodeImage(bytes, nullptr));
  const auto fill = [&](int place, int64_t extent) {
    if (place >= 0 && dims[static_cast<size_t>(place)] < 0)
      dims[static_cast<size_t>(place)] = extent;
  };
  fill(places.batch, 1);
  fill(places.channel, kColours);
  fill(places.height, picture.shape()[0]);
  fill(places.width, picture.shape()[1]);
  const int64_t height = dims[static_cast<size_t>(places.height)];
  const int64_t width = dims[static_cast<size_t>(places.width)];
  const int64_t channels = places.channel < 0 ? 1 : dims[static_cast<size_t>(places.channel)];
  if (height != picture.shape()[0] || width != picture.shape()[1]) {
    FERRY_ASSIGN_OR_RETURN(picture, ResizePicture(picture, height, width));
  }
  FERRY_ASSIGN_OR_RETURN(const auto scales, ScalesOf(options, tensor::IsFloat(input.dtype)));
  FERRY_ASSIGN_OR_RETURN(const engine::Shape shape, engine::Shape::Make(dims));
  FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Zeros(input.dtype, shape));
  const bool channel_last = places.channel > places.width;
  for (int64_t at = 0; at < height * width; ++at) {
    const uint8_t* pixel = picture.raw() + at * kColours;
    for (int64_t c = 0; c < channels; ++c) {
      const auto& [factor, offset] = scales[static_cast<size_t>(c)];
      const double value = LevelAt(pixel, c, channels == 1) * factor + offset;
      out.SetNumber(channel_last ? at * channels + c : c * height * width + at, value);
    }
  }
  return out;
}

}  // namespace ferry::cli
