// The calls of ferry.h on texts that the app carries for the agent.
#include "device-runtime/api/runtime/connected_agent.h"
#include "device-runtime/api/runtime/runtime.h"
#include "device-runtime/api/runtime/runtime_handle.h"
#include "device-runtime/api/runtime/wait.h"

namespace ferry::api {
namespace {

Status NoAgent() {
  return Status(Code::kFailedPrecondition, "no agent was started");
}

}  // namespace

std::string ConnectedAgent::HaveText() {
  std::string text;
  RunOn(*home_, [&] { text = agent_->have_text(); });
  return text;
}

Status ConnectedAgent::TakeText(const std::string& text) {
  Status taken;
  RunOn(*home_, [&] { taken = agent_->TakeText(text); });
  return taken;
}

Result<std::string> RuntimeCore::HaveText() {
  const std::shared_ptr<ConnectedAgent> connected = agent();
  if (connected == nullptr) return NoAgent();
  return connected->HaveText();
}

Status RuntimeCore::TakeText(const std::string& text) {
  const std::shared_ptr<ConnectedAgent> connected = agent();
  return connected == nullptr ? NoAgent() : connected->TakeText(text);
}

}  // namespace ferry::api

extern "C" {

int ferry_have_text(ferry_runtime* runtime, char** text) {
  if (text != nullptr) *text = nullptr;
  FERRY_FIND(ferry_runtime, self, runtime);
  if (text == nullptr) return ferry::api::Missing("text");
  const ferry::Result<std::string> have = self->runtime->HaveText();
  if (!have.ok()) return ferry::api::Return(have.status());
  return ferry::api::GiveText(*have, text);
}

int ferry_take_text(ferry_runtime* runtime, const char* text) {
  FERRY_FIND(ferry_runtime, self, runtime);
  if (text == nullptr) return ferry::api::Missing("text");
  return ferry::api::Return(self->runtime->TakeText(text));
}

}  // extern "C"
