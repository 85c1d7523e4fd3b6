// Rasters, gathers and scatters.
#include <algorithm>
#include <cstring>

#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/kernels/gather/gather.h"
#include "device-runtime/kernels/raster/raster.h"
#include "device-runtime/kernels/scatter/scatter.h"

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

namespace {

kernels::IndexGrid GridOf(const ir::IndexGrid& from) {
  kernels::IndexGrid grid;
  grid.rank = from.rank;
  grid.depth = from.depth;
  grid.size = from.size;
  grid.data_stride = from.data_stride;
  grid.index_stride = from.index_stride;
  grid.extent = from.extent;
  grid.extent_stride = from.extent_stride;
  grid.index_step = from.index_step;
  grid.inner = from.inner;
  return grid;
}

Status Outside(const std::string& node, const kernels::IndexGrid& grid) {
  if (grid.depth == 1) {
    return Status::Of(Code::kInvalidArgument, "node '{}': an index is outside an extent of {}",
                      node, grid.extent[0]);
  }
  return Status::Of(Code::kInvalidArgument, "node '{}': an index is outside its extent", node);
}

}  // namespace

Result<PreparedStep> PrepareGather(Preparer& p, const ir::GatherPrim& prim, const ir::Step& step) {
  const int x = step.inputs[0], indices = step.inputs[1], y = step.outputs[0];
  const int bytes = ElementBytes(p, y);
  const bool is_wide = p.TypeOf(indices) == DType::kI64;
  return PreparedStep{[=, grid = GridOf(prim.grid), name = step.node](const RunContext& c) {
                        return kernels::Gather(c.parallel, bytes, grid, {c.at[indices], is_wide},
                                               c.at[x], c.at[y])
                                   ? OkStatus()
                                   : Outside(name, grid);
                      },
                      ""};
}

Result<PreparedStep> PrepareScatter(Preparer& p, const ir::ScatterPrim& prim,
                                    const ir::Step& step) {
  const int x = step.inputs[0], indices = step.inputs[1], updates = step.inputs[2];
  const int y = step.outputs[0];
  const DType dtype = p.TypeOf(y);
  const int64_t elements = p.program().buffers[y].shape.elements();
  const bool is_wide = p.TypeOf(indices) == DType::kI64;
  const auto kind = static_cast<kernels::ScatterKind>(prim.kind);  // ORDER: both list the same
  return PreparedStep{[=, grid = GridOf(prim.grid), name = step.node](const RunContext& c) {
                        return kernels::Scatter(dtype, kind, grid, {c.at[indices], is_wide},
                                                elements, c.at[x], c.at[updates], c.at[y])
                                   ? OkStatus()
                                   : Outside(name, grid);
                      },
                      ""};
}

}  // namespace ferry::engine
