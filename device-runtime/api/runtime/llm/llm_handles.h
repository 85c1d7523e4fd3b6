// What the handles of language models stand for, and what several files behind ferry.h read of
// their options. Internal to the room.
#pragma once

#include <memory>

#include "device-runtime/api/runtime/llm/llm_core.h"
#include "device-runtime/api/runtime/llm/llm_session.h"
#include "device-runtime/api/support/handles.h"

struct ferry_model {
  std::shared_ptr<ferry::api::LlmCore> core;
  ferry::api::NamedModel named;
};

namespace ferry::api {

// NULL: the defaults. kInvalidArgument names the mode; adapters are not read.
Result<LlmSessionOptions> ReadSessionOptions(const ferry_session_options* given);

}  // namespace ferry::api
