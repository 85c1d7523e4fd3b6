// A conversation as token ids: llm::ChatPrompt under this room's name.
#pragma once

#include "device-runtime/llm/template/chat_prompt.h"

namespace ferry::cli {

using llm::ChatPrompt;

}  // namespace ferry::cli
