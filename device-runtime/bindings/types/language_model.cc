#include "device-runtime/bindings/types/language_model.h"

#include <algorithm>

#include "device-runtime/bindings/types/generation.h"
#include "device-runtime/bindings/types/language_session.h"

namespace ferry::bindings {
namespace {

using vm::CallContext;
using vm::Value;

constexpr int64_t kDefaultSessionContext = 512;

struct Payload {
  std::string name;
  std::shared_ptr<const llm::Model> model;
};

const Payload& Self(CallContext& c) {
  return *static_cast<const Payload*>(c.Payload(c.arg(0), LanguageModelType()));
}

Result<Value> IdList(CallContext& c, std::span<const llm::TokenId> ids) {
  std::vector<Value> values;
  values.reserve(ids.size());
  for (const llm::TokenId id : ids) {
    FERRY_ASSIGN_OR_RETURN(Value value, c.Int(id));
    values.push_back(value);
  }
  return c.List(values);
}

Result<Value> Encode(CallContext& c) {
  static constexpr const char* kNames[] = {"self", "text", "specials"};
  Value args[3];
  FERRY_TRY(c.Bind(kNames, 2, args));
  FERRY_ASSIGN_OR_RETURN(std::string_view text, c.AsString(args[1], "text"));
  bool specials = true;
  if (!args[2].empty()) {
    FERRY_ASSIGN_OR_RETURN(specials, c.AsBool(args[2]));
  }
  FERRY_TRY(c.Charge(static_cast<int64_t>(text.size())));
  // The ids as C++ and as script values are alive together.
  FERRY_TRY(c.ReserveExternal(text.size() * sizeof(llm::TokenId)));
  FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, Self(c).model->tokenizer());
  FERRY_ASSIGN_OR_RETURN(
      const std::vector<llm::TokenId> ids,
      tokenizer->Encode(text, specials ? llm::Specials::kParse : llm::Specials::kAsText));
  return IdList(c, ids);
}

Result<Value> Decode(CallContext& c) {
  static constexpr const char* kNames[] = {"self", "ids", "skip_specials"};
  Value args[3];
  FERRY_TRY(c.Bind(kNames, 2, args));
  bool skip = false;
  if (!args[2].empty()) {
    FERRY_ASSIGN_OR_RETURN(skip, c.AsBool(args[2]));
  }
  FERRY_TRY(c.AsSequence(args[1], "ids"));
  FERRY_ASSIGN_OR_RETURN(const auto ids, ReadPrompt(c, *Self(c).model, args[1]));
  FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, Self(c).model->tokenizer());
  return c.String(llm::Decode(*tokenizer, ids, skip));
}

Result<Value> GenerateMethod(CallContext& c) {
  const char* names[2 + kGenerationOptions] = {"self", "prompt"};
  std::copy(std::begin(kGenerationNames), std::end(kGenerationNames), names + 2);
  Value args[2 + kGenerationOptions];
  FERRY_TRY(c.Bind(names, 2, args, 2));
  const Payload& self = Self(c);
  FERRY_ASSIGN_OR_RETURN(const ScriptGeneration request, ReadGeneration(c, args + 2));
  FERRY_ASSIGN_OR_RETURN(const auto prompt, ReadPrompt(c, *self.model, args[1]));
  if (prompt.empty()) return Status(Code::kInvalidArgument, "the prompt has no tokens");
  FERRY_TRY(self.model->CheckTokens(prompt, 0));
  const auto length = static_cast<int64_t>(prompt.size());
  const int64_t room = self.model->config().context - length;
  FERRY_ASSIGN_OR_RETURN(
      const auto sequence,
      ScriptSequence::Create(c, self.model, length + std::min(request.max_new, room)));
  FERRY_TRY(sequence->Append(c, prompt));
  FERRY_ASSIGN_OR_RETURN(const std::string text, GenerateText(c, *sequence, request));
  return c.String(text);
}

Result<Value> NewSession(CallContext& c) {
  static constexpr const char* kNames[] = {"self", "context"};
  Value args[2];
  FERRY_TRY(c.Bind(kNames, 1, args));
  const Payload& self = Self(c);
  int64_t context = std::min(kDefaultSessionContext, self.model->config().context);
  if (!args[1].empty()) {
    FERRY_ASSIGN_OR_RETURN(context, c.AsInt(args[1], "context"));
  }
  return NewLanguageSession(c, self.model, context);
}

Result<Value> Vocabulary(CallContext& c) {
  return c.Int(Self(c).model->config().vocabulary);
}
Result<Value> Context(CallContext& c) {
  return c.Int(Self(c).model->config().context);
}
Result<Value> EndTokens(CallContext& c) {
  return IdList(c, Self(c).model->config().end_tokens);
}

Result<Value> Repr(CallContext& c) {
  return c.String("LanguageModel(" + Self(c).name + ")");
}

void Finalize(void* payload) {
  delete static_cast<Payload*>(payload);
}

constexpr vm::NativeFunction kMethods[] = {{"encode", Encode},
                                           {"decode", Decode},
                                           {"generate", GenerateMethod},
                                           {"session", NewSession},
                                           {"__repr__", Repr}};
constexpr vm::NativeFunction kProperties[] = {
    {"vocabulary", Vocabulary}, {"context", Context}, {"end_tokens", EndTokens}};
const vm::NativeType kType = {"LanguageModel", kMethods, kProperties, Finalize};

}  // namespace

const vm::NativeType& LanguageModelType() {
  return kType;
}

Result<Value> NewLanguageModel(CallContext& c, std::string name,
                               std::shared_ptr<const llm::Model> model) {
  return c.NewNative(kType, new Payload{std::move(name), std::move(model)}, sizeof(Payload));
}

}  // namespace ferry::bindings
