// The names of the desk library (lib/desk), which every runtime knows, so that it can say why they
// are not there.
#pragma once

#include <string_view>

namespace ferry::vm {

// Whether `module` ("pickle", "unittest.mock") is, or lies below, a module of the desk library.
bool IsDeskModule(std::string_view module);

}  // namespace ferry::vm
