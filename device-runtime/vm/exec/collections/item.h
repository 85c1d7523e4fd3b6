// Items of arrays, memory views and struct: numbers as bytes in the machine's own order.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Type codes of array.array.
inline constexpr std::string_view kArrayCodes = "bBuhHiIlLqQfd";

// Bytes of an item of `format` as C has them ("bBhHiIlLqQnNPfd?cue"); 0: there is no such format.
size_t ItemSize(char format);
// The value of the item that lies at `from`. Empty: there is no memory.
Value UnpackItem(Vm& vm, char format, const char* from);
enum class ItemUse { kArray, kView };  // whose words an error has
// Writes `v` as an item. false: it does not fit (TypeError, OverflowError, ValueError). An
// __index__ or __float__ may run scripts.
bool PackItem(Vm& vm, char format, Value v, ItemUse use, char* to);

}  // namespace ferry::vm
