// What was said so far, and the tokens that the next answer follows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/ferry/llm/chat_prompt.h"
#include "tools/ferry/llm/serve/responder.h"

namespace ferry::cli {

// Turns by the model's chat template; or, without one, a text that user and model write by turns.
// One thread. Borrows the responder.
class Conversation {
 public:
  // kFailedPrecondition: `use_template`, and the model has none.
  static Result<Conversation> Start(const Responder& responder, bool use_template);

  // Empty: none. Begins the conversation anew.
  void SetSystem(std::string text);
  // Forgets all but the system text.
  void Reset();
  // The prompt with `said` added. What was said is kept with the answer only, by Answered.
  Result<std::vector<llm::TokenId>> Prompt(const std::string& said);
  // The answer to the last Prompt; its end token is left out.
  void Answered(const Reply& reply);

  const std::vector<llm::TokenId>& turn_ends() const { return turn_ends_; }
  size_t messages() const { return messages_.size(); }

 private:
  explicit Conversation(const Responder& responder) : responder_(&responder) {}

  const Responder* responder_;
  std::optional<ChatPrompt> chat_;  // none: plain text
  std::vector<llm::TokenId> turn_ends_;
  std::string system_;
  std::string said_;                    // of the last Prompt
  std::vector<llm::TokenId> prompted_;  // that prompt
  std::vector<llm::ChatMessage> messages_;
  std::vector<llm::TokenId> text_;  // plain text so far
};

}  // namespace ferry::cli
