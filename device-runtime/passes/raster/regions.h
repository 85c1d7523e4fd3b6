// Regions of rasters by themselves: whether they are empty, the same in fewer axes, and one seen
// through another.
#pragma once

#include <optional>
#include <vector>

#include "device-runtime/passes/raster/strided.h"

namespace ferry::passes {

// The source side of a region as a read.
std::vector<StridedAxis> AxesOf(const ir::Region& r);
bool IsEmpty(const ir::Region& r);
int64_t ElementsOf(const ir::Region& r);

// Without axes of one element, and with those that are even on both sides joined.
ir::Region Joined(const ir::Region& r);

// `given` of what `inner` writes, from inner's source; nullopt when that is no one region.
std::optional<ir::Region> Composed(const ir::Region& inner, const ir::Region& given);

}  // namespace ferry::passes
