// Depthwise with several outputs for each input channel: the input's channels are repeated, then it
// is a depthwise convolution.
#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// Of the repeated input.
constexpr double kMaxMultipliedFloats = 1 << 26;

bool MultipliedSupports(const ConvShape& s) {
  return s.groups == s.in_c && s.out_c > s.in_c && s.in_step() == s.in_c &&
         s.kernel_h * s.kernel_w <= kMaxDepthwiseTaps &&
         static_cast<double>(s.batch * s.in_h * s.in_w) * static_cast<double>(s.out_c) <=
             kMaxMultipliedFloats;
}

size_t RepeatedSize(const ConvShape& s) {
  return static_cast<size_t>(s.batch * s.in_h * s.in_w * s.out_c);
}

ConvShape Repeated(ConvShape s) {
  s.in_c = s.groups = s.out_c;
  s.in_stride = 0;
  return s;
}

void RunMultiplied(const ConvRun& r) {
  const ConvShape& s = r.shape;
  const int64_t times = s.out_c / s.in_c;
  ForPieces(r.parallel, s.batch * s.in_h * s.in_w, s.out_c / 2, [&](int64_t begin, int64_t end) {
    const float* from = r.input + begin * s.in_c;
    float* to = r.workspace + begin * s.out_c;
    for (int64_t i = 0; i < (end - begin) * s.in_c; ++i, to += times) {
      for (int64_t j = 0; j < times; ++j) to[j] = from[i];
    }
  });
  const ConvShape repeated = Repeated(s);
  RunDepthwise({r.table, r.parallel, repeated, r.workspace, r.packed, r.epilogue, r.output,
                r.workspace + RepeatedSize(s), r.tiles});
}

}  // namespace

const ConvMethod kConvMultiplied = {
    .name = "multiplied",
    .supports = MultipliedSupports,
    .packed_size = [](const KernelTable&,
                      const ConvShape& s) { return PackedDepthwiseSize(Repeated(s)); },
    .pack = [](const KernelTable&, const ConvShape& s, const float* weights, float* packed,
               const Tiles&) { PackDepthwise(Repeated(s), weights, packed); },
    .workspace_size = [](const KernelTable&, const ConvShape& s,
                         int) { return RepeatedSize(s) + DepthwiseWorkspaceSize(Repeated(s)); },
    .run = RunMultiplied,
};

}  // namespace ferry::kernels
