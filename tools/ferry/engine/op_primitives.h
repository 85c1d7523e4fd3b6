// Which primitives operators come down to, as their own text cases show: those of
// device-runtime/ops/cases are part of the program.
#pragma once

#include <map>
#include <set>
#include <string>

namespace ferry::cli {

// By operator, the primitives ("conv", "raster", "map:Add"...) of its plans: alone, in all cases
// where it stands first, or on floats where there is no case. An operator that cannot be planned so
// before it runs has no row.
std::map<std::string, std::set<std::string>> PrimitivesOfOps();

}  // namespace ferry::cli
