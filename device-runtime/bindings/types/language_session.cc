#include "device-runtime/bindings/types/language_session.h"

#include <algorithm>

#include "device-runtime/bindings/types/generation.h"

namespace ferry::bindings {
namespace {

using vm::CallContext;
using vm::Value;

ScriptSequence& Self(CallContext& c) {
  return *static_cast<ScriptSequence*>(c.Payload(c.arg(0), LanguageSessionType()));
}

Result<Value> Append(CallContext& c) {
  FERRY_TRY(c.Expect(2, 2));
  ScriptSequence& self = Self(c);
  FERRY_ASSIGN_OR_RETURN(const auto ids, ReadPrompt(c, self.session().model(), c.arg(1)));
  FERRY_TRY(self.Append(c, ids));
  return Value::None();
}

Result<Value> GenerateMethod(CallContext& c) {
  const char* names[1 + kGenerationOptions] = {"self"};
  std::copy(std::begin(kGenerationNames), std::end(kGenerationNames), names + 1);
  Value args[1 + kGenerationOptions];
  FERRY_TRY(c.Bind(names, 1, args, 1));
  ScriptSequence& self = Self(c);
  FERRY_ASSIGN_OR_RETURN(const ScriptGeneration request, ReadGeneration(c, args + 1));
  if (self.session().length() == 0)
    return Status(Code::kInvalidArgument, "the session holds no tokens; append a prompt first");
  FERRY_ASSIGN_OR_RETURN(const std::string text, GenerateText(c, self, request));
  return c.String(text);
}

Result<Value> ArgMax(CallContext& c) {
  FERRY_TRY(c.Expect(1, 1));
  ScriptSequence& self = Self(c);
  if (self.session().length() == 0)
    return Status(Code::kInvalidArgument, "the session holds no tokens; append a prompt first");
  FERRY_TRY(c.Charge(kTokenSteps));
  FERRY_ASSIGN_OR_RETURN(const std::span<const float> logits, self.session().logits());
  size_t best = 0;
  for (size_t k = 1; k < logits.size(); ++k)
    if (logits[k] > logits[best]) best = k;
  return c.Int(static_cast<int64_t>(best));
}

Result<Value> Truncate(CallContext& c) {
  FERRY_TRY(c.Expect(2, 2));
  ScriptSequence& self = Self(c);
  FERRY_ASSIGN_OR_RETURN(const int64_t length, c.AsInt(c.arg(1), "length"));
  if (length < 0 || length > self.session().length())
    return Status::Of(Code::kInvalidArgument, "truncate({}) of a session of {} tokens", length,
                      self.session().length());
  self.session().Truncate(length);
  return Value::None();
}

Result<Value> Length(CallContext& c) {
  return c.Int(Self(c).session().length());
}

Result<Value> Tokens(CallContext& c) {
  std::vector<Value> values;
  for (const llm::TokenId id : Self(c).session().tokens()) {
    FERRY_ASSIGN_OR_RETURN(Value value, c.Int(id));
    values.push_back(value);
  }
  return c.List(values);
}

Result<Value> Context(CallContext& c) {
  return c.Int(Self(c).capacity());
}

Result<Value> Repr(CallContext& c) {
  return c.String(fmt::format("LanguageSession({} of {} tokens)", Self(c).session().length(),
                              Self(c).capacity()));
}

void Finalize(void* payload) {
  delete static_cast<ScriptSequence*>(payload);
}

constexpr vm::NativeFunction kMethods[] = {{"append", Append},  {"generate", GenerateMethod},
                                           {"argmax", ArgMax},  {"truncate", Truncate},
                                           {"__len__", Length}, {"__repr__", Repr}};
constexpr vm::NativeFunction kProperties[] = {{"tokens", Tokens}, {"context", Context}};
const vm::NativeType kType = {"LanguageSession", kMethods, kProperties, Finalize};

}  // namespace

const vm::NativeType& LanguageSessionType() {
  return kType;
}

Result<Value> NewLanguageSession(CallContext& c, std::shared_ptr<const llm::Model> model,
                                 int64_t context) {
  FERRY_ASSIGN_OR_RETURN(auto sequence, ScriptSequence::Create(c, std::move(model), context));
  const auto bytes = static_cast<size_t>(sequence->bytes());
  return c.NewNative(kType, sequence.release(), bytes);
}

}  // namespace ferry::bindings
