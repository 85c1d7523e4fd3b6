// Scans, sorts, pools of any rank, random numbers: one kernel call each.
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/kernels/determinant/determinant.h"
#include "device-runtime/kernels/random/random.h"
#include "device-runtime/kernels/scan/scan.h"
#include "device-runtime/kernels/sort/sort.h"
#include "device-runtime/kernels/window/window.h"
#include "device-runtime/ops/random.h"

namespace ferry::engine {
namespace {

Status Ran(bool done) {
  return done ? OkStatus() : Status(Code::kInternal, "no kernel for this dtype");
}

size_t FloatsFor(int64_t bytes) {
  return static_cast<size_t>((bytes + 3) / 4);
}

}  // namespace

Result<PreparedStep> PrepareScan(Preparer& p, const ir::ScanPrim& prim, const ir::Step& step) {
  const kernels::ScanShape shape = {prim.outer,   prim.size,      prim.inner,
                                    prim.product, prim.exclusive, prim.reverse};
  const int x = step.inputs[0], y = step.outputs[0];
  return PreparedStep{[=, dtype = p.TypeOf(x)](const RunContext& c) {
                        return Ran(kernels::Scan(c.parallel, dtype, shape, c.at[x], c.at[y]));
                      },
                      ""};
}

Result<PreparedStep> PrepareSort(Preparer& p, const ir::SortPrim& prim, const ir::Step& step) {
  const kernels::SortShape shape = {prim.outer, prim.size, prim.inner, prim.count, prim.largest};
  const int x = step.inputs[0], values = step.outputs[0], indices = step.outputs[1];
  const DType dtype = p.TypeOf(x);
  // Never nothing: a kernel may be handed its address.
  const int room = p.AddWorkspace(FloatsFor(kernels::SortRoom(dtype, shape)) + 1);
  return PreparedStep{
      [=](const RunContext& c) {
        return Ran(kernels::Sort(c.parallel, dtype, shape, c.at[x], c.at[values],
                                 reinterpret_cast<int64_t*>(c.at[indices]), c.at[room]));
      },
      ""};
}

Result<PreparedStep> PrepareWindow(Preparer& p, const ir::WindowPrim& prim, const ir::Step& step) {
  kernels::WindowShape shape;
  shape.kind = static_cast<kernels::WindowKind>(prim.kind);  // ORDER: both list the same
  shape.p = prim.p;
  shape.by_column = prim.by_column;
  shape.axes = prim.axes;
  shape.planes = prim.planes;
  shape.in = prim.in;
  shape.out = prim.out;
  shape.kernel = prim.kernel;
  shape.stride = prim.stride;
  shape.dilation = prim.dilation;
  shape.pad_begin = prim.pad_begin;
  shape.pad_end = prim.pad_end;
  const int x = step.inputs[0], y = step.outputs[0];
  const int places = step.outputs.size() > 1 ? step.outputs[1] : -1;
  return PreparedStep{
      [=, dtype = p.TypeOf(x)](const RunContext& c) {
        auto* at = places < 0 ? nullptr : reinterpret_cast<int64_t*>(c.at[places]);
        return Ran(kernels::PoolWindows(c.parallel, dtype, shape, c.at[x], c.at[y], at));
      },
      ""};
}

Result<PreparedStep> PrepareRandom(Preparer& p, const ir::RandomPrim& prim, const ir::Step& step) {
  const int y = step.outputs[0];
  const DType dtype = p.TypeOf(y);
  const auto key_of = [key = prim.key] { return key ? *key : ops::CurrentRandom().Next64(); };
  if (prim.kind != ir::RandomKind::kMultinomial) {
    const bool normal = prim.kind == ir::RandomKind::kNormal;
    const int64_t count = p.program().buffers[y].shape.elements();
    return PreparedStep{[=, scale = prim.scale, shift = prim.shift](const RunContext& c) {
                          return Ran(kernels::Random(
                              c.parallel, dtype, {key_of(), normal, scale, shift}, count, c.at[y]));
                        },
                        ""};
  }
  const int x = step.inputs[0];
  const int room = p.AddWorkspace(FloatsFor(prim.classes * 8) + 1);
  return PreparedStep{[=, from = p.TypeOf(x), rows = prim.rows, classes = prim.classes,
                       samples = prim.samples, name = step.node](const RunContext& c) {
                        const int64_t bad = kernels::Multinomial(
                            from, key_of(), rows, classes, samples, c.at[x], dtype == DType::kI64,
                            c.at[y], reinterpret_cast<double*>(c.at[room]));
                        if (bad < 0) return OkStatus();
                        return Status::Of(Code::kInvalidArgument,
                                          "node '{}': row {} holds no probabilities", name, bad);
                      },
                      ""};
}

Result<PreparedStep> PrepareDeterminant(Preparer& p, const ir::DeterminantPrim& prim,
                                        const ir::Step& step) {
  const int x = step.inputs[0], y = step.outputs[0];
  const int room = p.AddWorkspace(FloatsFor(prim.size * prim.size * 8) + 1);
  return PreparedStep{
      [=, dtype = p.TypeOf(x), count = prim.count, size = prim.size](const RunContext& c) {
        return Ran(kernels::Determinants(dtype, count, size, c.at[x], c.at[y],
                                         reinterpret_cast<double*>(c.at[room])));
      },
      ""};
}

}  // namespace ferry::engine
