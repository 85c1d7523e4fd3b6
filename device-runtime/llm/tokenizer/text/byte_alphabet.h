// The alphabet in which byte-level vocabularies are written: one printable character for each byte.
// Source: the GPT-2 release (Radford et al., 2019); the mapping is a fact of the format.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ferry::llm {

// The bytes that `text` (valid UTF-8) spells, or nothing when a character is not of the alphabet.
std::optional<std::string> BytesOfAlphabet(std::string_view text);
// The spelling of `bytes`.
std::string AlphabetOfBytes(std::string_view bytes);

}  // namespace ferry::llm
