// What the task language leaves out on purpose: found at compile time, with the reason.
#pragma once

#include <string_view>

namespace ferry::vm {

// Why the built-in function or the module is refused; empty: it is not.
std::string_view RefusedName(std::string_view name);
std::string_view RefusedModule(std::string_view name);

}  // namespace ferry::vm
