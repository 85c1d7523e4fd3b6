#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/quant/product.h"

namespace ferry::kernels {

int64_t QuantPanelsSize(const KernelTable& table, int64_t columns, int64_t taps, int64_t depth) {
  const int64_t vector = table.quant->vector;
  const int64_t groups = (depth + kQuantGroup - 1) / kQuantGroup;
  return (columns + vector - 1) / vector * vector * taps * groups * kQuantGroup;
}

void PackPanels(const KernelTable& table, int64_t columns, int64_t taps, int64_t depth,
                const int8_t* weights, int8_t* panels) {
  const int64_t vector = table.quant->vector;
  const int64_t width = table.quant->PanelWidth();
  for (int64_t column = 0; column < columns; column += width) {
    const int64_t count = std::min(width, columns - column);
    const int64_t padded = (count + vector - 1) / vector * vector;
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t k = 0; k < depth; k += kQuantGroup) {
        std::memset(panels, 0, static_cast<size_t>(padded * kQuantGroup));
        for (int64_t j = 0; j < count; ++j) {
          for (int64_t i = k; i < std::min(depth, k + kQuantGroup); ++i) {
            panels[j * kQuantGroup + i - k] = weights[((column + j) * depth + i) * taps + t];
          }
        }
        panels += padded * kQuantGroup;
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
