// Characters by their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ferry::vm {

// The code point that \N{name} stands for, whatever the case of the letters; 0: unknown here.
uint32_t NamedCharacter(std::string_view name);

}  // namespace ferry::vm
