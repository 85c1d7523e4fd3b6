#include "device-runtime/kernels/tiled/float_sink.h"

#include <limits>

#include "device-runtime/kernels/elementwise/activate.h"

namespace ferry::kernels {

void FloatSink::Take(const void* sums, int64_t row, int64_t rows, int64_t column,
                     int64_t columns) const {
  const bool clip = e_.activation == Activation::kClip;
  TiledFinish t;
  t.sums = static_cast<const float*>(sums);
  t.rows = rows;
  t.columns = columns;
  t.bias = e_.bias == nullptr ? nullptr : e_.bias + column;
  t.add = e_.add == nullptr ? nullptr : e_.add + row * stride_ + column;
  t.low = clip ? e_.low : -std::numeric_limits<float>::infinity();
  t.high = clip ? e_.high : std::numeric_limits<float>::infinity();
  t.c = c_ + row * stride_ + column;
  t.c_stride = stride_;
  table_.tiled->finish(t);
  if (clip || e_.activation == Activation::kNone) return;
  ActivateRows(table_, e_, rows, columns, stride_, t.c);
}

}  // namespace ferry::kernels
