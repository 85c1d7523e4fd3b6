// Search in text that counts its work: the plain search costs the product of both lengths on texts
// made for it, so it must end with the limit of steps.
#pragma once

#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// How often the byte is there.
size_t CountByte(std::string_view text, char c);
// The place of the first `what` at or after byte `from` (of the last one in `s` when `last`), or
// npos. False: the limit of steps is passed.
bool FindText(Vm& vm, std::string_view s, std::string_view what, size_t from, bool last,
              size_t* at);

}  // namespace ferry::vm
