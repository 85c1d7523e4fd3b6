// Gathers of rows that only element-wise steps read: those read the rows where they lie, by a table
// of their places. What Resize takes along an axis is such a gather.
#pragma once

#include "device-runtime/passes/memory/slices.h"

namespace ferry::passes {

// Takes out gathers whose indices are known and whose rows are long; the maps that read them get a
// table (PlacedProgram::RowsOf) and the gather's source as input. The number of gathers that went.
int ReadRowsInPlace(PlacedProgram& placed);

}  // namespace ferry::passes
