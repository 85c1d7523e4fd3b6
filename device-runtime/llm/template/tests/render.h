// Rendering in one line, for tests.
#pragma once

#include <gtest/gtest.h>

#include "common/base/json.h"
#include "device-runtime/llm/template/chat_template.h"

namespace ferry::llm::testing {

inline Result<std::string> TryRender(std::string_view source, const Json& more = Json::object()) {
  auto parsed = ChatTemplate::Parse(source);
  if (!parsed.ok()) return parsed.status();
  return (*parsed)->Render({}, false, more);
}

// What the template prints, or its error.
inline std::string Render(std::string_view source, const Json& more = Json::object()) {
  const auto text = TryRender(source, more);
  return text.ok() ? *text : text.status().ToString();
}

}  // namespace ferry::llm::testing
