#include "device-runtime/passes/program_pass.h"

#include "device-runtime/passes/maps/fuse_maps.h"
#include "device-runtime/passes/raster/merge_rasters.h"

namespace ferry::passes {

std::span<const ProgramPass> ProgramPasses() {
  static constexpr ProgramPass kPasses[] = {
      {"merge rasters", MergeRasters},
      {"fuse maps", FuseMaps},
  };
  return kPasses;
}

}  // namespace ferry::passes
