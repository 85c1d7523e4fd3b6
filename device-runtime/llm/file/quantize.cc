#include "device-runtime/llm/file/quantize.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ferry::llm {
namespace {

// The largest number may saturate a little where that serves the rest.
constexpr float kScaleFactors[] = {1.0f, 0.97f, 0.94f, 0.91f, 0.88f, 0.85f};

int Nearest(float value, float scale) {
  const float steps = std::clamp(value / scale, -127.0f, 127.0f);
  return static_cast<int>(std::nearbyint(steps));
}

double SquaredError(std::span<const float> row, float scale) {
  double error = 0;
  for (float value : row) {
    const double difference = value - static_cast<double>(scale) * Nearest(value, scale);
    error += difference * difference;
  }
  return error;
}

}  // namespace

float QuantizeRowToInt8(std::span<const float> row, int8_t* out) {
  float largest = 0;
  for (float value : row) largest = std::max(largest, std::abs(value));
  float best = 0;
  double best_error = 0;
  for (float factor : kScaleFactors) {
    const float scale = largest / 127 * factor;
    if (scale <= 0) continue;
    const double error = SquaredError(row, scale);
    if (best != 0 && error >= best_error) continue;
    best = scale;
    best_error = error;
  }
  for (size_t i = 0; i < row.size(); ++i) {
    out[i] = best == 0 ? int8_t{0} : static_cast<int8_t>(Nearest(row[i], best));
  }
  return best;
}

uint16_t NearestBFloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

}  // namespace ferry::llm
