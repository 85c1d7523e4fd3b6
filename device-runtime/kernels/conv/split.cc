// Any convolution as a product over tile registers, whose rows are pixels behind pointers, split
// into bfloat16 as they are read.
#include <algorithm>
#include <vector>

#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/conv/window_pointers.h"
#include "device-runtime/kernels/split/split.h"
#include "device-runtime/kernels/tiled/float_sink.h"

namespace ferry::kernels {
namespace {

class SplitRows final : public ByteRows {
 public:
  SplitRows(const ConvShape& s, const float* input, const float* zeros)
      : pointers_(s, input, zeros) {}
  void Fill(int64_t first, int count, int64_t first_tap, int64_t taps,
            const uint8_t** pointers) const override {
    pointers_.Fill(first, count, first_tap, taps, reinterpret_cast<const float**>(pointers));
  }

 private:
  const WindowPointers<float> pointers_;
};

int64_t DepthOfGroup(const ConvShape& s) {
  return s.in_c / s.groups * s.kernel_h * s.kernel_w;
}

size_t SplitSize(const KernelTable& table, const ConvShape& s) {
  return static_cast<size_t>(s.groups) *
         SplitPackedSize(table, DepthOfGroup(s), s.out_c / s.groups);
}

void PackSplit(const KernelTable& table, const ConvShape& s, const float* weights, float* packed,
               const Tiles&) {
  const int64_t in = s.in_c / s.groups, out = s.out_c / s.groups;
  const int64_t taps = s.kernel_h * s.kernel_w, depth = DepthOfGroup(s);
  const size_t size = SplitPackedSize(table, depth, out);
  std::vector<float> rows(taps == 1 ? 0 : static_cast<size_t>(out * depth));
  for (int64_t g = 0; g < s.groups; ++g, weights += out * depth, packed += size) {
    // [column][channel][tap] to [column][tap][channel]
    for (int64_t i = 0; i < static_cast<int64_t>(rows.size()); ++i) {
      const int64_t t = i / in % taps, column = i / depth;
      rows[static_cast<size_t>(i)] = weights[column * depth + i % in * taps + t];
    }
    SplitPack(table, depth, out, {taps == 1 ? weights : rows.data(), 1, depth}, packed);
  }
}

size_t SplitConvWorkspace(const KernelTable&, const ConvShape& s, int) {
  return static_cast<size_t>(s.in_c / s.groups);
}

void RunSplit(const ConvRun& r) {
  const ConvShape& s = r.shape;
  SplitProduct p;
  p.rows = s.batch * s.out_h * s.out_w;
  p.columns = s.out_c / s.groups;
  p.taps = s.kernel_h * s.kernel_w;
  p.depth = s.in_c / s.groups;
  p.packed_b = r.packed;
  p.c = r.output;
  p.c_stride = s.out_step();
  Epilogue epilogue = r.epilogue;
  p.epilogue = &epilogue;
  std::fill_n(r.workspace, p.depth, 0.0f);
  const size_t size = SplitPackedSize(r.table, p.taps * p.depth, p.columns);
  for (int64_t g = 0; g < s.groups; ++g) {
    const SplitRows windows(s, r.input + g * p.depth, r.workspace);
    const DenseByteRows pixels(r.input + g * p.depth, s.in_step());
    p.source = s.is_pointwise() ? static_cast<const ByteRows*>(&pixels) : &windows;
    RunSplitProduct(r.table, r.parallel, p);
    p.packed_b += size;
    p.c += p.columns;
    if (epilogue.bias != nullptr) epilogue.bias += p.columns;
    if (epilogue.add != nullptr) epilogue.add += p.columns;
  }
}

}  // namespace

const ConvMethod kConvSplit = {
    .name = "split",
    .supports = [](const ConvShape&) { return true; },
    .packed_size = SplitSize,
    .pack = PackSplit,
    .workspace_size = SplitConvWorkspace,
    .run = RunSplit,
    .error = kSplitError,
};

}  // namespace ferry::kernels
