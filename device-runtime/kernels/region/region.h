// Pools of regions of images. Sources: ONNX operators RoiAlign (Mask R-CNN) and MaxRoiPool (Fast
// R-CNN).
#pragma once

#include "common/base/status.h"
#include "common/sys/executor.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {

enum class RegionKind { kAlignAverage, kAlignMax, kMax };

// Samples of a cell along one axis: regions are data, and must not ask for endless work.
inline constexpr double kMaxRegionSamples = 4096;

struct RegionShape {
  RegionKind kind = RegionKind::kAlignAverage;
  int64_t images = 0, channels = 0, in_h = 0, in_w = 0, regions = 0, out_h = 0, out_w = 0;
  int64_t samples = 0;  // of a cell along an axis; 0: as many as it has elements
  double scale = 1;
  bool half_pixel = false;
};

// x [images, channels, in_h, in_w] -> y [regions, channels, out_h, out_w], f32 or f64. Align: rois
// [regions, 4] (x1, y1, x2, y2) of the images `image`; kMax: rois [regions, 5], the image first.
// kInvalidArgument for an image that is not there, kLimitExceeded for a region that is too large.
Status PoolRegions(sys::Parallel& parallel, tensor::DType dtype, const RegionShape& shape,
                   const void* x, const void* rois, const int64_t* image, void* y);

}  // namespace ferry::kernels
