// A copy of what another raster makes, as copies of that raster's inputs.
#pragma once

#include <utility>
#include <vector>

#include "device-runtime/ir/program.h"

namespace ferry::passes {

inline constexpr size_t kMaxPieces = 16;  // of one copy: more cost more than a copy in between

struct CopyPiece {
  ir::BufferId source;
  ir::Region region;
};
// `outer` reads what `inner`, a raster whose copies do not overlap, makes; it is cut where inner's
// copies meet, or take turns. False when there are too many pieces, or elements that inner only
// fills.
bool CutCopies(const ir::Step& inner, const ir::Region& outer, std::vector<CopyPiece>& pieces);

}  // namespace ferry::passes
