// Chat templates: the subset of Jinja that model publishers use. Source: the Jinja 3 template
// designer documentation.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::llm {

inline constexpr size_t kMaxTemplateBytes = 256 << 10;
inline constexpr int64_t kMaxTemplateSteps = 4'000'000;  // expressions evaluated in one rendering
inline constexpr size_t kMaxRenderedBytes = 64 << 20;

struct ChatMessage {
  std::string role;  // "system", "user", "assistant", "tool"
  std::string content;
};

// Immutable; any thread.
class ChatTemplate {
 public:
  // Parses; kMalformed names line and column, kUnsupported the construct.
  static Result<std::unique_ptr<ChatTemplate>> Parse(std::string_view source);
  ~ChatTemplate();

  // Renders with `messages`, `add_generation_prompt`, and the members of `more` as variables (they
  // may replace `messages`). strftime_now is there when `more` has "now": the seconds since 1970 of
  // the wall clock to show. Arguments, types and the like that do not fit are kInvalidArgument.
  // kInvalidArgument carries a template's own raise_exception text.
  Result<std::string> Render(std::span<const ChatMessage> messages, bool add_generation_prompt,
                             const Json& more) const;
  Result<std::string> Render(std::span<const ChatMessage> messages,
                             bool add_generation_prompt) const;
  // The same with the members of `variables`, a JSON object as text, for "messages", "tools" and
  // others; they come after those of `more`. Objects keep the order of their members, which a
  // template shows. kMalformed, kLimitExceeded as ParseJson.
  Result<std::string> RenderJson(std::string_view variables, bool add_generation_prompt,
                                 const Json& more) const;
  const std::string& source() const;

  struct State;
  explicit ChatTemplate(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ferry::llm
