// Which primitives operators come down to, as their own text cases show: those of
// device-runtime/ops/cases are part of the program.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

namespace ferry::cli {

// By operator, the primitives ("conv", "raster", "map:Add"...) of its plans: alone, in all cases
// where it stands first, or on floats where there is no case. An operator that cannot be planned so
// before it runs has no row.
std::map<std::string, std::set<std::string>> PrimitivesOfOps();

// By primitive and dtype (of its first input, or of what it makes), how many of these cases have a
// step of it in their plan. Cases that only a run can plan do not count.
std::map<std::pair<std::string, std::string>, int> CasesOfPrimitives();

}  // namespace ferry::cli
