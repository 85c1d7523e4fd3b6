// BERT's tokenizer as its releases have it: what vocab.txt and GGUF leave unsaid.
#pragma once

#include "device-runtime/llm/tokenizer/wordpiece/wordpiece.h"

namespace ferry::llm {

WordPieceParts BertParts(bool lower);
// The next token, as vocab.txt spells it ("##ing"); "[CLS]" and its kin become special.
void AppendBertToken(std::string_view text, WordPieceParts& parts);

}  // namespace ferry::llm
