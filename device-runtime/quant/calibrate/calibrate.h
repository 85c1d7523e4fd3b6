// The range of an activation from its histogram.
#pragma once

#include "device-runtime/quant/calibrate/histogram.h"
#include "device-runtime/quant/options.h"

namespace ferry::quant {

struct Range {
  double low = 0, high = 0;  // low <= 0 <= high
};

// kMinMax     all values.
// kPercentile without the (100 - percentile) % least and largest ones.
// kKl         the clip with the least Kullback-Leibler divergence between the histogram and its
//             quantised form. Source: Migacz, 8-bit inference with TensorRT (GTC 2017). Zeros are
//             left out: they are exact. Where values have both signs, over magnitudes.
// kMse        of a grid of clips at both ends, that with the least squared error: clipping, and
//             scale^2 / 12 inside. Source: Banner et al., Post training 4-bit quantization (2019).
Range ChooseRange(const Histogram& histogram, Calibration how, double percentile);

}  // namespace ferry::quant
