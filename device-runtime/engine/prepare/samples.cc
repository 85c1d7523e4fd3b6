// Samples between elements and pools of regions.
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/kernels/region/region.h"
#include "device-runtime/kernels/sample/sample.h"

namespace ferry::engine {

Result<PreparedStep> PrepareSample(Preparer& p, const ir::SamplePrim& prim, const ir::Step& step) {
  kernels::SampleShape shape;
  shape.mode = static_cast<kernels::SampleMode>(prim.mode);           // ORDER: both list the same
  shape.padding = static_cast<kernels::SamplePadding>(prim.padding);  // ORDER: the same
  shape.normalized = prim.normalized;
  shape.align = prim.align;
  shape.axes = prim.axes;
  shape.batch = prim.batch;
  shape.channels = prim.channels;
  shape.points = prim.points;
  shape.in = prim.in;
  const int x = step.inputs[0], places = step.inputs[1], y = step.outputs[0];
  return PreparedStep{
      [=, dtype = p.TypeOf(x), place_dtype = p.TypeOf(places)](const RunContext& c) {
        return kernels::Sample(c.parallel, dtype, place_dtype, shape, c.at[x], c.at[places],
                               c.at[y])
                   ? OkStatus()
                   : Status(Code::kInternal, "no samples of this dtype");
      },
      ""};
}

Result<PreparedStep> PrepareRegion(Preparer& p, const ir::RegionPrim& prim, const ir::Step& step) {
  kernels::RegionShape shape;
  shape.kind = static_cast<kernels::RegionKind>(prim.kind);  // ORDER: both list the same
  shape.images = prim.images;
  shape.channels = prim.channels;
  shape.in_h = prim.in_h;
  shape.in_w = prim.in_w;
  shape.regions = prim.regions;
  shape.out_h = prim.out_h;
  shape.out_w = prim.out_w;
  shape.samples = prim.samples;
  shape.scale = prim.scale;
  shape.half_pixel = prim.half_pixel;
  const int x = step.inputs[0], rois = step.inputs[1], y = step.outputs[0];
  const int image = step.inputs.size() > 2 ? step.inputs[2] : -1;
  return PreparedStep{
      [=, dtype = p.TypeOf(x), name = step.node](const RunContext& c) {
        const auto* images = image < 0 ? nullptr : reinterpret_cast<const int64_t*>(c.at[image]);
        return kernels::PoolRegions(c.parallel, dtype, shape, c.at[x], c.at[rois], images, c.at[y])
            .Context("node '{}'", name);
      },
      ""};
}

}  // namespace ferry::engine
