// ferry.llm: llm.load(name) -> LanguageModel.
#include "device-runtime/bindings/modules.h"
#include "device-runtime/bindings/types/language_model.h"
#include "device-runtime/bindings/types/language_session.h"

namespace ferry::bindings {
namespace {

Result<vm::Value> LoadLanguageModel(vm::CallContext& c) {
  FERRY_TRY(c.Expect(1, 1));
  FERRY_ASSIGN_OR_RETURN(std::string_view name, c.AsString(c.arg(0), "the name of a model"));
  FERRY_ASSIGN_OR_RETURN(auto model, HostOf(c).LoadLanguageModel(name));
  return NewLanguageModel(c, std::string(name), std::move(model));
}

constexpr vm::NativeFunction kLlmFunctions[] = {{"load", LoadLanguageModel}};

}  // namespace

const vm::NativeModule& LlmModule() {
  static const vm::NativeType* const kTypes[] = {&LanguageModelType(), &LanguageSessionType()};
  static const vm::NativeModule kModule = {"ferry.llm", kLlmFunctions, kTypes};
  return kModule;
}

}  // namespace ferry::bindings
