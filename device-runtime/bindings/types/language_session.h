// The script type `LanguageSession`: one sequence that is kept between calls. Scripts see:
//
//   s.append(prompt)      reads a text or a list of ids behind what is there
//   s.generate(max_new=128, temperature=0, seed=0, ...) -> text, as LanguageModel.generate
//   s.argmax() -> id      the most probable next token
//   s.truncate(length)    forgets the tokens from `length` on
//   len(s), s.tokens, s.context
#pragma once

#include <memory>

#include "device-runtime/llm/model.h"
#include "device-runtime/vm/native.h"

namespace ferry::bindings {

const vm::NativeType& LanguageSessionType();
// The memory for `context` tokens counts against the isolate and the task's budget at once.
Result<vm::Value> NewLanguageSession(vm::CallContext& c, std::shared_ptr<const llm::Model> model,
                                     int64_t context);

}  // namespace ferry::bindings
