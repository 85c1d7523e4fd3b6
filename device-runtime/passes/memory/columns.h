// Rasters that put columns side by side, as concatenations and splits do.
#pragma once

#include <vector>

#include "device-runtime/ir/program.h"

namespace ferry::passes {

// One copy: `width` elements of each row, `rows` times. Row i comes from from + i * from_stride of
// the source and goes to to + i * stride of the result.
struct Column {
  size_t copy = 0;  // of the raster
  int64_t from = 0, from_stride = 0, to = 0, width = 0;
};

struct Columns {
  int64_t rows = 0, stride = 0;  // the result is rows x stride
  std::vector<Column> list;      // the copies that are columns; others are left out
};

// What a raster's copies are when they fill its whole result, once; rows = 0 when they do not. In a
// result of one row columns are runs.
Columns ColumnsOf(const ir::Program& program, const ir::Step& step);

}  // namespace ferry::passes
