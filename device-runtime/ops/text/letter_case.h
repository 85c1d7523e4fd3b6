// Upper and lower case of UTF-8 texts, character by character, by Unicode's simple mappings; ASCII
// only where Ferry is built without FERRY_OPS_TEXT. Bytes that are no UTF-8 stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace ferry::ops {

enum class LetterCase { kLower, kUpper };
std::string ChangeCase(std::string_view text, LetterCase to);

}  // namespace ferry::ops
