// A conversation as token ids: rendered by the model's template, in which only the template itself
// makes special tokens. What people say stays text, whatever it spells.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device-runtime/llm/template/chat_template.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {

// Immutable; any thread. Borrows the tokenizer and the template.
class ChatPrompt {
 public:
  ChatPrompt(const Tokenizer& tokenizer, const ChatTemplate& chat_template);

  // The ids that the model answers after: those of the rendered text, but that specials which a
  // content spells are encoded as text. kInvalidArgument for an unknown role (roles reach the text
  // as they are) and for what the template refuses; kMalformed for broken UTF-8.
  Result<std::vector<TokenId>> Render(std::span<const ChatMessage> messages) const;
  // Special tokens that the template puts behind an answer ("<|im_end|>"): they end a turn.
  const std::vector<TokenId>& turn_ends() const { return turn_ends_; }

 private:
  // Length of the longest special's text that begins at `at`; 0: none does.
  size_t SpecialAt(std::string_view text, size_t at) const;
  // `content` with `marker` before each special that it spells.
  std::string Mark(std::string_view content, std::string_view marker) const;
  Result<std::vector<TokenId>> EncodeMarked(std::string_view rendered,
                                            std::string_view marker) const;

  const Tokenizer& tokenizer_;
  const ChatTemplate& template_;
  std::vector<std::string> specials_;  // their texts, the longest first
  std::array<bool, 256> begins_special_{};
  std::vector<TokenId> turn_ends_;
};

}  // namespace ferry::llm
