// The blocked product of quant: C = epilogue(A * B), A bytes behind pointers.
#pragma once

#include "device-runtime/kernels/quant/kernels.h"
#include "device-runtime/kernels/quant/quant.h"
#include "device-runtime/kernels/tiled/product.h"

namespace ferry::kernels {

using QuantRows = ByteRows;

struct QuantProduct {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t taps = 1;
  int64_t depth = 0;
  bool is_signed = false;
  const QuantRows* source = nullptr;
  const int8_t* panels = nullptr;  // PackPanels
  const int32_t* start = nullptr;  // of each column, padded
  uint8_t* y = nullptr;
  int64_t y_stride = 0;  // in elements, of epilogue.add too
  QuantEpilogue epilogue;
};

void RunQuantProduct(const KernelTable& table, sys::Parallel& parallel, const QuantProduct& p);

// The same over tile registers, where the table has them and the product is worth them.
bool TakesTiles(const KernelTable& table, const QuantProduct& p);
void RunQuantTiled(const KernelTable& table, sys::Parallel& parallel, const QuantProduct& p);

// The epilogue of sums kMaxQuantWidth apart.
void FinishQuantSums(const QuantKernels& kernels, const QuantProduct& p, const int32_t* sums,
                     int64_t row, int64_t rows, int64_t column, int64_t columns);

// Bytes of the panels of one product, and the packing: weights [columns][depth][taps]. `panels` has
// the alignment of 32 bits. Where the set has bounded tiles and the product is small enough for
// their places, what they need of each panel stands behind all panels. Where the table has tile
// registers a column has whole chunks of them.
// Bytes of a column in a panel.
int64_t QuantPanelDepth(const KernelTable& table, int64_t taps, int64_t depth);
int64_t QuantPanelsSize(const KernelTable& table, int64_t columns, int64_t taps, int64_t depth);
void PackPanels(const KernelTable& table, int64_t columns, int64_t taps, int64_t depth,
                const int8_t* weights, int8_t* panels);

// Where the packed panels of one product have what bounded tiles need.
class QuantFurtherParts {
 public:
  QuantFurtherParts(const KernelTable& table, const QuantProduct& p);
  QuantFurther Of(int64_t panel) const;

 private:
  const int8_t* first_ = nullptr;  // null: nowhere
  int64_t step_ = 0;               // from panel to panel
  int64_t most_ = 0;               // groups of a panel
};

// start[c] = bias[c] - zero * sum of the weights of c, wrapping. Of sums of tiles, zero is that of
// the elements with QuantKernels::shift.
void StartSums(int64_t columns, const int32_t* weight_sums, int32_t zero, const int32_t* bias,
               int32_t* start);

// The depthwise form of a convolution; see QuantPack and the others.
bool IsQuantDepthwise(const ConvShape& shape);
int64_t QuantDepthwiseSize(const KernelTable& table, const ConvShape& shape);
void PackQuantDepthwise(const KernelTable& table, const ConvShape& shape, const int8_t* weights,
                        uint8_t* packed);
int64_t QuantDepthwiseWorkspace(const KernelTable& table, const ConvShape& shape);
void RunQuantDepthwise(const KernelTable& table, sys::Parallel& parallel, const QuantConv& conv,
                       const uint8_t* x, const uint8_t* packed, const int32_t* bias,
                       const QuantEpilogue& epilogue, uint8_t* y, uint8_t* workspace);

// Its form with interleaved lines, for results of bytes without addend. `start` as StartSums of x
// (of x + 128, if signed); the workspace has 64-byte alignment.
bool TakesQuantLines(const KernelTable& table, const ConvShape& shape);
int64_t QuantLinesSize(const ConvShape& shape);
void PackQuantLines(const ConvShape& shape, const int8_t* weights, int8_t* packed);
int64_t QuantLinesWorkspace(const ConvShape& shape);
void RunQuantLines(const KernelTable& table, sys::Parallel& parallel, const QuantConv& conv,
                   const uint8_t* x, const int8_t* packed, const int32_t* start,
                   const QuantEpilogue& epilogue, uint8_t* y, uint8_t* workspace);

}  // namespace ferry::kernels
