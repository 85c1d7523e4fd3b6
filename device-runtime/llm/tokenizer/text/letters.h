// Properties and simple changes of single characters. Source: character data of utf8proc; the rules
// of BERT's basic tokenizer (Devlin et al., 2019) and of Hugging Face's tokenizers library.
#pragma once

#include <string>
#include <string_view>

namespace ferry::llm {

bool IsWhiteSpace(char32_t point);
// Category M, or (`nonspacing`) Mn alone.
bool IsMark(char32_t point, bool nonspacing);

// Each appends the changed `text` (valid UTF-8) and returns true, or returns false with nothing
// appended when there is nothing to change.
bool AppendLower(std::string_view text, std::string& out);
bool AppendWithoutMarks(std::string_view text, bool nonspacing, std::string& out);
// Without white space at its ends.
bool AppendStripped(std::string_view text, bool left, bool right, std::string& out);
// Without control characters and U+FFFD; white space becomes spaces.
bool AppendClean(std::string_view text, std::string& out);
// With spaces around ideographs.
bool AppendSpacedIdeographs(std::string_view text, std::string& out);
// Without spaces (U+0020) at its ends, and of several in a row one.
bool AppendSqueezed(std::string_view text, std::string& out);

}  // namespace ferry::llm
