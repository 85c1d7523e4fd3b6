#include "device-runtime/llm/template/chat_template.h"

#include "common/base/json.h"
#include "device-runtime/llm/template/evaluate/evaluator.h"

namespace ferry::llm {

struct ChatTemplate::State {
  std::string source;
  jinja::Body body;
};

ChatTemplate::ChatTemplate(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChatTemplate::~ChatTemplate() = default;

const std::string& ChatTemplate::source() const {
  return state_->source;
}

Result<std::unique_ptr<ChatTemplate>> ChatTemplate::Parse(std::string_view source) {
  if (source.size() > kMaxTemplateBytes) {
    return Status::Of(Code::kLimitExceeded, "a chat template of {} bytes, at most {}",
                      source.size(), kMaxTemplateBytes);
  }
  auto state = std::make_unique<State>();
  state->source = source;
  auto body = jinja::Parse(source);
  if (!body.ok()) return body.status().Context("chat template");
  state->body = std::move(*body);
  return std::make_unique<ChatTemplate>(std::move(state));
}

Result<std::string> ChatTemplate::Render(std::span<const ChatMessage> messages,
                                         bool add_generation_prompt) const {
  return Render(messages, add_generation_prompt, Json::object());
}

namespace {

// Each member of an object as a variable.
template <typename AnyJson>
Status DefineMembers(const AnyJson& object, jinja::Budget& budget, jinja::Evaluator& evaluator) {
  for (auto member = object.begin(); member != object.end(); ++member) {
    FERRY_ASSIGN_OR_RETURN(jinja::Value value, jinja::Value::FromJson(*member, budget));
    evaluator.Define(member.key(), std::move(value));
  }
  return OkStatus();
}

}  // namespace

Result<std::string> ChatTemplate::Render(std::span<const ChatMessage> messages,
                                         bool add_generation_prompt, const Json& more) const {
  using jinja::Value;
  jinja::Budget budget;
  if (!more.is_object()) return Status(Code::kInvalidArgument, "variables are a JSON object");
  FERRY_ASSIGN_OR_RETURN(const int64_t now, GetIntOr(more, "now", 0));
  jinja::Evaluator evaluator(budget, more.contains("now") ? &now : nullptr);
  jinja::List list;
  for (const ChatMessage& message : messages) {
    FERRY_ASSIGN_OR_RETURN(Value role, Value::MakeText(message.role, budget));
    FERRY_ASSIGN_OR_RETURN(Value content, Value::MakeText(message.content, budget));
    FERRY_ASSIGN_OR_RETURN(Value item,
                           Value::MakeDict({{Value::Text("role"), std::move(role)},
                                            {Value::Text("content"), std::move(content)}},
                                           budget));
    list.push_back(std::move(item));
  }
  FERRY_ASSIGN_OR_RETURN(Value all, Value::MakeList(std::move(list), budget));
  evaluator.Define("messages", std::move(all));
  evaluator.Define("add_generation_prompt", Value::Bool(add_generation_prompt));
  FERRY_TRY(DefineMembers(more, budget, evaluator));
  return evaluator.Render(state_->body);
}

Result<std::string> ChatTemplate::RenderJson(std::string_view variables, bool add_generation_prompt,
                                             const Json& more) const {
  // ParseJson has the limits; its values sort the members of objects.
  FERRY_ASSIGN_OR_RETURN(const Json checked, ParseJson(variables));
  if (!checked.is_object() || !more.is_object()) {
    return Status(Code::kInvalidArgument, "variables are a JSON object");
  }
  const auto ordered = nlohmann::ordered_json::parse(variables.begin(), variables.end(), nullptr,
                                                     /*allow_exceptions=*/false);
  jinja::Budget budget;
  FERRY_ASSIGN_OR_RETURN(const int64_t now, GetIntOr(more, "now", 0));
  jinja::Evaluator evaluator(budget, more.contains("now") ? &now : nullptr);
  evaluator.Define("add_generation_prompt", jinja::Value::Bool(add_generation_prompt));
  FERRY_TRY(DefineMembers(more, budget, evaluator));
  FERRY_TRY(DefineMembers(ordered, budget, evaluator));
  return evaluator.Render(state_->body);
}

}  // namespace ferry::llm
