#include "device-runtime/kernels/conv/conv.h"

#include "device-runtime/kernels/conv/algorithms.h"

namespace ferry::kernels {
namespace {

const ConvMethod& MethodOf(ConvAlgorithm algorithm) {
  static constexpr const ConvMethod* kMethods[] = {
#define FERRY_CONV(name) &kConv##name,
#include "device-runtime/kernels/conv/algorithms.inc"
#undef FERRY_CONV
  };
  return *kMethods[static_cast<int>(algorithm)];
}

}  // namespace

double ConvShape::Flops() const {
  return 2.0 * static_cast<double>(batch * out_h * out_w * out_c) *
         static_cast<double>(in_c / groups * kernel_h * kernel_w);
}

const char* ConvAlgorithmName(ConvAlgorithm algorithm) {
  return MethodOf(algorithm).name;
}

bool ConvSupports(ConvAlgorithm algorithm, const ConvShape& shape) {
  return MethodOf(algorithm).supports(shape);
}

double ConvError(ConvAlgorithm algorithm) {
  return MethodOf(algorithm).error;
}

bool ConvHasTiles(ConvAlgorithm algorithm) {
  return MethodOf(algorithm).has_tiles;
}

size_t ConvPackedSize(const KernelTable& table, ConvAlgorithm algorithm, const ConvShape& shape) {
  return MethodOf(algorithm).packed_size(table, shape);
}

void ConvPack(const KernelTable& table, ConvAlgorithm algorithm, const ConvShape& shape,
              const float* weights, float* packed, const Tiles& tiles) {
  MethodOf(algorithm).pack(table, shape, weights, packed, tiles);
}

size_t ConvWorkspaceSize(const KernelTable& table, ConvAlgorithm algorithm, const ConvShape& shape,
                         int threads) {
  return MethodOf(algorithm).workspace_size(table, shape, threads);
}

void Conv(const KernelTable& table, sys::Parallel& parallel, ConvAlgorithm algorithm,
          const ConvShape& shape, const float* input, const float* packed, const Epilogue& epilogue,
          float* output, float* workspace, const Tiles& tiles) {
  if (shape.batch == 0 || shape.out_h == 0 || shape.out_w == 0 || shape.out_c == 0) return;
  MethodOf(algorithm).run(
      {table, parallel, shape, input, packed, epilogue, output, workspace, tiles});
}

}  // namespace ferry::kernels
