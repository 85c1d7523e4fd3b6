// Unicode normal forms. Source: Unicode Standard Annex 15, character data of utf8proc.
#pragma once

#include <string>
#include <string_view>

namespace ferry::llm {

// Appends the NFC of `text` (valid UTF-8). Time n log n in a run of combining marks, else linear.
// Returns false, with nothing appended, when `text` is in the form already as far as a quick look
// tells (no character from U+0300 on).
bool AppendNfc(std::string_view text, std::string& out);

// The same for any form: NFD is neither composed nor compatible, NFKC is both. False for ASCII.
bool AppendNormalForm(std::string_view text, bool compose, bool compatible, std::string& out);

}  // namespace ferry::llm
