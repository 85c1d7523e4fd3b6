// Items of arrays, memory views and struct: numbers as bytes in the machine's own order.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Type codes of array.array.
inline constexpr std::string_view kArrayCodes = "bBuhHiIlLqQfd";

// Bytes of an item of `format` as C has them ("bBhHiIlLqQnNPfd?cue"); 0: no such format.
size_t ItemSize(char format);
Value UnpackItem(Vm& vm, char format, const char* from);
enum class ItemUse { kArray, kView };  // whose words an error has
// false: reported (TypeError, OverflowError, ValueError).
bool PackItem(Vm& vm, char format, Value v, ItemUse use, char* to);

}  // namespace ferry::vm
