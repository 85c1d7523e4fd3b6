// The curve of a release as a picture: devices over virtual time, one line for what became of them.
#include <algorithm>

#include "tools/fleetsim/fleetsim.h"

namespace ferry::fleetsim {
namespace {

constexpr int kWidth = 900, kHeight = 420;
constexpr int kLeft = 80, kTop = 30, kRight = 130, kBottom = 50;

struct CurveLine {
  const char* name;
  const char* colour;
  int64_t CurvePoint::*value;
};
// Colours that also differ for those who do not tell red from green (Okabe and Ito).
constexpr CurveLine kCurveLines[] = {
    {"offered", "#0072b2", &CurvePoint::offered},     {"pulled", "#56b4e9", &CurvePoint::pulled},
    {"confirmed", "#009e73", &CurvePoint::confirmed}, {"failed", "#d55e00", &CurvePoint::failed},
    {"silent", "#e69f00", &CurvePoint::silent},       {"back", "#cc79a7", &CurvePoint::back}};

std::string TextAt(double x, double y, const std::string& text, const char* anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     text);
}

}  // namespace

std::string OutcomeToSvg(const Outcome& outcome) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"white\"/>\n",
      kWidth, kHeight);
  if (outcome.releases.empty()) return out + "</svg>\n";
  const ReleaseOutcome& release = outcome.releases.back();
  const auto found = release.curve.find("all");
  const std::vector<CurvePoint> points =
      found == release.curve.end() ? std::vector<CurvePoint>() : found->second;
  int64_t most = 1, last_ms = 1;
  for (const CurvePoint& point : points) {
    for (const CurveLine& line : kCurveLines) most = std::max(most, point.*line.value);
    last_ms = std::max(last_ms, point.virtual_ms);
  }
  const double width = kWidth - kLeft - kRight, height = kHeight - kTop - kBottom;
  const auto x_of = [&](int64_t ms) {
    return kLeft + width * static_cast<double>(ms) / static_cast<double>(last_ms);
  };
  const auto y_of = [&](int64_t value) {
    return kTop + height - height * static_cast<double>(value) / static_cast<double>(most);
  };
  out += TextAt(kLeft, 18,
                fmt::format("{} {}: {} devices, seed {}", outcome.scenario, release.version,
                            outcome.devices, outcome.seed));
  out += fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" stroke=\"#444\"/>\n", kLeft, kTop,
                     kHeight - kBottom, kWidth - kRight);
  for (int i = 0; i <= 4; ++i) {
    out += TextAt(kLeft - 6, y_of(most * i / 4) + 4, std::to_string(most * i / 4), "end");
    out +=
        TextAt(x_of(last_ms * i / 4), kHeight - kBottom + 18,
               fmt::format("{:.1f} h", static_cast<double>(last_ms * i / 4) / kHourMs), "middle");
  }
  int row = 0;
  for (const CurveLine& line : kCurveLines) {
    std::string path;
    for (const CurvePoint& point : points)
      path += fmt::format("{:.1f},{:.1f} ", x_of(point.virtual_ms), y_of(point.*line.value));
    out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                       path, line.colour);
    const int64_t value = points.empty() ? 0 : points.back().*line.value;
    const double y = kTop + 14 + 20 * row++;
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"4\" fill=\"{}\"/>\n",
                       kWidth - kRight + 8, y - 6, line.colour);
    out += TextAt(kWidth - kRight + 26, y, fmt::format("{} {}", line.name, value));
  }
  return out + "</svg>\n";
}

}  // namespace ferry::fleetsim
