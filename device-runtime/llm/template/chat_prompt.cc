#include "device-runtime/llm/template/chat_prompt.h"

#include <algorithm>

namespace ferry::llm {
namespace {

// Noncharacters of Unicode (U+FDD0 to U+FDEF) are for use inside a program. One that the
// conversation lacks goes through the template before each special that a content spells, and tells
// it from the template's own.
constexpr int kMarkers = 32;
std::string MarkerText(int which) {
  return {'\xef', '\xb7', static_cast<char>(0x90 + which)};
}

constexpr std::string_view kRoles[] = {"system", "user", "assistant", "tool"};
constexpr std::string_view kProbe = "Xq";  // stands for an answer

bool Has(std::span<const ChatMessage> messages, std::string_view part) {
  return std::any_of(messages.begin(), messages.end(), [&](const ChatMessage& message) {
    return message.content.find(part) != std::string::npos;
  });
}

Status CheckRoles(std::span<const ChatMessage> messages) {
  for (const ChatMessage& message : messages) {
    if (std::find(std::begin(kRoles), std::end(kRoles), message.role) == std::end(kRoles))
      return Status::Of(Code::kInvalidArgument, "\"{}\" is no role (system, user, assistant, tool)",
                        message.role);
  }
  return OkStatus();
}

// The first marker that no message contains.
Result<std::string> ChooseMarker(std::span<const ChatMessage> messages) {
  for (int which = 0; which < kMarkers; ++which) {
    if (std::string marker = MarkerText(which); !Has(messages, marker)) return marker;
  }
  return Status(Code::kInvalidArgument,
                "the messages hold special tokens and all noncharacters U+FDD0 to U+FDEF");
}

}  // namespace

ChatPrompt::ChatPrompt(const Tokenizer& tokenizer, const ChatTemplate& chat_template)
    : tokenizer_(tokenizer), template_(chat_template) {
  for (TokenId id = 0; id < tokenizer.vocabulary(); ++id) {
    if (tokenizer.IsSpecial(id) && !tokenizer.TokenBytes(id).empty())
      specials_.emplace_back(tokenizer.TokenBytes(id));
  }
  for (const std::string& special : specials_)
    begins_special_[static_cast<unsigned char>(special.front())] = true;
  std::stable_sort(specials_.begin(), specials_.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  // A template that refuses these turns tells nothing: only the model's end tokens end an answer.
  const ChatMessage turns[] = {{"user", "x"}, {"assistant", std::string(kProbe)}};
  const Result<std::string> text = template_.Render(turns, false);
  const size_t probe = text.ok() ? text->rfind(kProbe) : std::string::npos;
  if (probe == std::string::npos) return;
  const size_t end = std::min(text->find_first_not_of(" \n", probe + kProbe.size()), text->size());
  if (const size_t size = SpecialAt(*text, end); size > 0)
    turn_ends_.push_back(tokenizer_.SpecialId(std::string_view(*text).substr(end, size)));
}

size_t ChatPrompt::SpecialAt(std::string_view text, size_t at) const {
  if (at >= text.size() || !begins_special_[static_cast<unsigned char>(text[at])]) return 0;
  const auto found = std::find_if(
      specials_.begin(), specials_.end(),
      [&](const std::string& special) { return text.substr(at).starts_with(special); });
  return found == specials_.end() ? 0 : found->size();
}

std::string ChatPrompt::Mark(std::string_view content, std::string_view marker) const {
  std::string marked;
  for (size_t at = 0; at < content.size(); ++at) {
    if (SpecialAt(content, at) > 0) marked += marker;
    marked.push_back(content[at]);
  }
  return marked;
}

Result<std::vector<TokenId>> ChatPrompt::EncodeMarked(std::string_view rendered,
                                                      std::string_view marker) const {
  std::vector<TokenId> ids;
  std::string piece;
  bool spelt = false;  // a content's special is in the piece
  const auto encode_piece = [&]() -> Status {
    const Specials specials = spelt ? Specials::kAsText : Specials::kParse;
    FERRY_ASSIGN_OR_RETURN(const std::vector<TokenId> more, tokenizer_.Encode(piece, specials));
    ids.insert(ids.end(), more.begin(), more.end());
    piece.clear();
    spelt = false;
    return OkStatus();
  };
  for (size_t at = 0; at < rendered.size();) {
    if (rendered.substr(at).starts_with(marker)) {
      at += marker.size();
      spelt = true;
      if (at < rendered.size()) piece.push_back(rendered[at++]);
    } else if (const size_t size = SpecialAt(rendered, at); size > 0) {
      FERRY_TRY(encode_piece());
      ids.push_back(tokenizer_.SpecialId(rendered.substr(at, size)));
      at += size;
    } else {
      piece.push_back(rendered[at++]);
    }
  }
  FERRY_TRY(encode_piece());
  return ids;
}

Result<std::vector<TokenId>> ChatPrompt::Render(std::span<const ChatMessage> messages) const {
  FERRY_TRY(CheckRoles(messages));
  const bool spelt = std::any_of(specials_.begin(), specials_.end(),
                                 [&](const auto& special) { return Has(messages, special); });
  if (!spelt) {
    FERRY_ASSIGN_OR_RETURN(const std::string rendered, template_.Render(messages, true));
    return tokenizer_.Encode(rendered);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string marker, ChooseMarker(messages));
  std::vector<ChatMessage> marked(messages.begin(), messages.end());
  for (ChatMessage& message : marked) message.content = Mark(message.content, marker);
  FERRY_ASSIGN_OR_RETURN(const std::string rendered, template_.Render(marked, true));
  return EncodeMarked(rendered, marker);
}

}  // namespace ferry::llm
