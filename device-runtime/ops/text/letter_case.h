// Upper and lower case of UTF-8 texts, character by character, by Unicode's simple mappings; ASCII
// only where Ferry is built without FERRY_OPS_TEXT. Bytes that are no UTF-8 stay as they are.
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::ops {

enum class LetterCase { kLower, kUpper };
// kUnsupported for other letters than ASCII where utf8proc is missing.
Result<std::string> ChangeCase(std::string_view text, LetterCase to);

}  // namespace ferry::ops
