#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/quant/product.h"

namespace ferry::kernels {

int64_t QuantPanelsSize(const KernelTable& table, int64_t columns, int64_t taps, int64_t depth) {
  const int64_t vector = table.quant->vector, group = table.quant->group;
  return (columns + vector - 1) / vector * vector * taps * ((depth + group - 1) / group) * group;
}

void PackPanels(const KernelTable& table, int64_t columns, int64_t taps, int64_t depth,
                const int8_t* weights, int8_t* panels) {
  const int64_t vector = table.quant->vector, group = table.quant->group;
  const int64_t width = table.quant->PanelWidth();
  for (int64_t column = 0; column < columns; column += width) {
    const int64_t count = std::min(width, columns - column);
    const int64_t padded = (count + vector - 1) / vector * vector;
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t k = 0; k < depth; k += group) {
        std::memset(panels, 0, static_cast<size_t>(padded * group));
        for (int64_t j = 0; j < count; ++j) {
          for (int64_t i = k; i < std::min(depth, k + group); ++i) {
            panels[j * group + i - k] = weights[((column + j) * depth + i) * taps + t];
          }
        }
        panels += padded * group;
      }
    }
  }
}

void StartSums(int64_t columns, const int32_t* weight_sums, int32_t zero, const int32_t* bias,
               int32_t* start) {
  for (int64_t c = 0; c < columns; ++c) {
    const uint32_t from = bias == nullptr ? 0 : static_cast<uint32_t>(bias[c]);
    start[c] = static_cast<int32_t>(from - static_cast<uint32_t>(zero) *
                                               static_cast<uint32_t>(weight_sums[c]));
  }
  std::fill(start + columns, start + QuantPadded(columns), 0);
}

}  // namespace ferry::kernels
