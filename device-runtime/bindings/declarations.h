// What scripts declare with ferry.stream, for who packs a task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "device-runtime/vm/value.h"

namespace ferry::bindings {

inline constexpr size_t kMaxDeclarations = 25'000;  // of one script and its modules

enum class DeclarationKind { kRule, kStream, kTable, kField };

struct Declaration {
  DeclarationKind kind = DeclarationKind::kRule;
  // As task.json has it; a rule in the text form is {"text": ..} with "app" beside it.
  Json spec;
  std::string file;  // of the call
  uint32_t line = 0;
  // Of the function below; empty: none.
  std::string function;
  vm::Value value;  // for comparison only: it is not kept alive
};

}  // namespace ferry::bindings
