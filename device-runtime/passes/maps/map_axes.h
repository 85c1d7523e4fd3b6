// The axes of maps: two maps over the same elements may cut them into different axes.
#pragma once

#include "device-runtime/ir/map.h"

namespace ferry::passes {

// Cuts the axes of both maps, which run over as many elements in the same order, until they are the
// same; neither changes what it computes. False, and nothing changes, when the extents do not
// divide each other, there would be too many axes, or there are no elements.
bool AlignAxes(ir::MapPrim& a, ir::MapPrim& b);

}  // namespace ferry::passes
