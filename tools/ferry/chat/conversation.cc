#include "tools/ferry/chat/conversation.h"

#include <utility>

namespace ferry::cli {

Result<Conversation> Conversation::Start(const Responder& responder, bool use_template) {
  Conversation conversation(responder);
  if (!use_template) return conversation;
  if (responder.chat_template() == nullptr)
    return Status(Code::kFailedPrecondition, "the model has no chat template");
  conversation.chat_.emplace(responder.tokenizer(), *responder.chat_template());
  conversation.turn_ends_ = conversation.chat_->turn_ends();
  return conversation;
}

void Conversation::SetSystem(std::string text) {
  system_ = std::move(text);
  Reset();
}

void Conversation::Reset() {
  messages_.clear();
  text_.clear();
}

Result<std::vector<llm::TokenId>> Conversation::Prompt(const std::string& said) {
  if (chat_) {
    std::vector<llm::ChatMessage> messages;
    if (!system_.empty()) messages.push_back({"system", system_});
    messages.insert(messages.end(), messages_.begin(), messages_.end());
    messages.push_back({"user", said});
    FERRY_ASSIGN_OR_RETURN(prompted_, chat_->Render(messages));
  } else {
    const std::string more = text_.empty() ? system_ + said : said;
    FERRY_ASSIGN_OR_RETURN(const std::vector<llm::TokenId> ids,
                           responder_->tokenizer().Encode(more, llm::Specials::kAsText));
    prompted_ = text_;
    prompted_.insert(prompted_.end(), ids.begin(), ids.end());
  }
  said_ = said;
  return prompted_;
}

void Conversation::Answered(const Reply& reply) {
  std::vector<llm::TokenId> ids = reply.ids;
  if (reply.reason == llm::FinishReason::kEndToken) ids.pop_back();
  if (chat_) {
    messages_.push_back({"user", std::exchange(said_, {})});
    messages_.push_back({"assistant", llm::Decode(responder_->tokenizer(), ids, true)});
  } else {
    text_ = std::move(prompted_);
    text_.insert(text_.end(), ids.begin(), ids.end());
  }
}

}  // namespace ferry::cli
