#include "device-runtime/kernels/conv/conv.h"

#include "device-runtime/kernels/conv/algorithms.h"

namespace ferry::kernels {

double ConvShape::Flops() const {
  return 2.0 * static_cast<double>(batch * out_h * out_w * out_c) *
         static_cast<double>(in_c / groups * kernel_h * kernel_w);
}

const char* ConvAlgorithmName(ConvAlgorithm algorithm) {
  switch (algorithm) {
    case ConvAlgorithm::kPointwise:
      return "pointwise";
    case ConvAlgorithm::kIndirect:
      return "indirect";
    case ConvAlgorithm::kDepthwise:
      return "depthwise";
    case ConvAlgorithm::kWinograd:
      return "winograd";
  }
  return "?";
}

bool ConvSupports(ConvAlgorithm algorithm, const ConvShape& s) {
  const bool stride_1 = s.stride_h == 1 && s.stride_w == 1;
  switch (algorithm) {
    case ConvAlgorithm::kPointwise:
      return s.kernel_h == 1 && s.kernel_w == 1 && stride_1 && s.pad_top == 0 && s.pad_left == 0 &&
             s.groups == 1 && s.in_h == s.out_h && s.in_w == s.out_w;
    case ConvAlgorithm::kIndirect:
      return true;
    case ConvAlgorithm::kDepthwise:
      return s.groups == s.in_c && s.out_c == s.in_c &&
             s.kernel_h * s.kernel_w <= kMaxDepthwiseTaps;
    case ConvAlgorithm::kWinograd:
      return s.kernel_h == 3 && s.kernel_w == 3 && stride_1 && s.dilation_h == 1 &&
             s.dilation_w == 1 && s.groups == 1;
  }
  return false;
}

size_t ConvPackedSize(const KernelTable& table, ConvAlgorithm algorithm, const ConvShape& shape) {
  switch (algorithm) {
    case ConvAlgorithm::kPointwise:
    case ConvAlgorithm::kIndirect:
      return PackedProductSize(table, shape);
    case ConvAlgorithm::kDepthwise:
      return PackedDepthwiseSize(shape);
    case ConvAlgorithm::kWinograd:
      return PackedWinogradSize(table, shape);
  }
  return 0;
}

void ConvPack(const KernelTable& table, ConvAlgorithm algorithm, const ConvShape& shape,
              const float* weights, float* packed) {
  switch (algorithm) {
    case ConvAlgorithm::kPointwise:
    case ConvAlgorithm::kIndirect:
      return PackProduct(table, shape, weights, packed);
    case ConvAlgorithm::kDepthwise:
      return PackDepthwise(shape, weights, packed);
    case ConvAlgorithm::kWinograd:
      return PackWinograd(table, shape, weights, packed);
  }
}

size_t ConvWorkspaceSize(const KernelTable&, ConvAlgorithm algorithm, const ConvShape& shape) {
  switch (algorithm) {
    case ConvAlgorithm::kPointwise:
    case ConvAlgorithm::kDepthwise:
      return 0;
    case ConvAlgorithm::kIndirect:
      return IndirectWorkspaceSize(shape);
    case ConvAlgorithm::kWinograd:
      return WinogradWorkspaceSize(shape);
  }
  return 0;
}

void Conv(const KernelTable& table, sys::Parallel& parallel, ConvAlgorithm algorithm,
          const ConvShape& shape, const float* input, const float* packed, const Epilogue& epilogue,
          float* output, float* workspace) {
  if (shape.batch == 0 || shape.out_h == 0 || shape.out_w == 0 || shape.out_c == 0) return;
  const ConvRun run = {table, parallel, shape, input, packed, epilogue, output, workspace};
  switch (algorithm) {
    case ConvAlgorithm::kPointwise:
      return RunPointwise(run);
    case ConvAlgorithm::kIndirect:
      return RunIndirect(run);
    case ConvAlgorithm::kDepthwise:
      return RunDepthwise(run);
    case ConvAlgorithm::kWinograd:
      return RunWinograd(run);
  }
}

}  // namespace ferry::kernels
