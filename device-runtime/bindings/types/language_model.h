// The script type `LanguageModel`: a language model of the task. Scripts see:
//
//   m.encode(text, specials=True) -> [ids]     m.decode(ids, skip_specials=False) -> text
//   m.generate(prompt, max_new=128, temperature=0, seed=0, top_k=0, top_p=1,
//              repetition_penalty=1, stop=[]) -> text; `prompt` is a text or a list of ids
//   m.session(context=512) -> LanguageSession  m.vocabulary, m.context, m.end_tokens
//
// The same prompt, seed and options give the same text on every run.
#pragma once

#include <memory>
#include <string>

#include "device-runtime/llm/model.h"
#include "device-runtime/vm/native.h"

namespace ferry::bindings {

const vm::NativeType& LanguageModelType();
Result<vm::Value> NewLanguageModel(vm::CallContext& c, std::string name,
                                   std::shared_ptr<const llm::Model> model);

}  // namespace ferry::bindings
