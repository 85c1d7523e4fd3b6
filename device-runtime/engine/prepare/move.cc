// Rasters and gathers: what only moves elements.
#include <algorithm>
#include <cstring>

#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/kernels/gather/gather.h"
#include "device-runtime/kernels/raster/raster.h"

namespace ferry::engine {
namespace {

int ElementBytes(const Preparer& p, ir::BufferId id) {
  return static_cast<int>(tensor::DTypeSize(p.program().buffers[id].dtype));
}

kernels::Region RegionOf(const ir::Region& from) {
  kernels::Region region;
  region.rank = from.rank;
  std::ranges::copy(from.size, region.size);
  std::ranges::copy(from.from_stride, region.from_stride);
  std::ranges::copy(from.to_stride, region.to_stride);
  region.from = from.from;
  region.to = from.to;
  return kernels::Simplified(region);
}

}  // namespace

Result<PreparedStep> PrepareRaster(Preparer& p, const ir::RasterPrim& prim, const ir::Step& step) {
  struct Copy {
    int source;
    kernels::Region region;
  };
  std::vector<Copy> copies;
  for (const ir::RasterPrim::Copy& copy : prim.copies) {
    copies.push_back({step.inputs[static_cast<size_t>(copy.input)], RegionOf(copy.region)});
  }
  const int y = step.outputs[0];
  const int bytes = ElementBytes(p, y);
  const int64_t count = p.program().buffers[y].shape.elements();
  std::array<uint8_t, 8> fill{};
  const bool fills = prim.fill.has_value();
  if (fills) std::memcpy(fill.data(), &*prim.fill, 8);
  return PreparedStep{[=](const RunContext& c) {
                        if (fills) kernels::Fill(c.parallel, bytes, count, fill.data(), c.at[y]);
                        for (const Copy& copy : copies) {
                          kernels::Copy(c.parallel, bytes, copy.region, c.at[copy.source], c.at[y]);
                        }
                        return OkStatus();
                      },
                      ""};
}

Result<PreparedStep> PrepareGather(Preparer& p, const ir::GatherPrim& prim, const ir::Step& step) {
  const int x = step.inputs[0], indices = step.inputs[1], y = step.outputs[0];
  const int bytes = ElementBytes(p, y);
  return PreparedStep{[=, name = step.node](const RunContext& c) -> Status {
                        const auto* numbers = reinterpret_cast<const int64_t*>(c.at[indices]);
                        if (kernels::Gather(c.parallel, bytes, prim.outer, prim.size, prim.inner,
                                            prim.count, numbers, c.at[x], c.at[y])) {
                          return OkStatus();
                        }
                        return Status::Of(Code::kInvalidArgument,
                                          "node '{}' (Gather): an index is outside an extent of {}",
                                          name, prim.size);
                      },
                      ""};
}

}  // namespace ferry::engine
