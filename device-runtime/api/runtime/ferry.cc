#include <algorithm>
#include <cstdlib>
#include <optional>

#include "common/base/json.h"
#include "device-runtime/api/runtime/runtime.h"
#include "device-runtime/api/runtime/runtime_handle.h"
#include "pipeline/event/event.h"
#include "policy/text/rule_text.h"

namespace {

using ferry::Code;
using ferry::Json;
using ferry::Result;
using ferry::Status;
using ferry::api::Copy;
using ferry::api::LastError;
using ferry::api::Missing;
using ferry::api::Return;
using ferry::api::TextOf;

Result<ferry::target::Attributes> ParseAttributes(const char* json) {
  if (json == nullptr) return ferry::target::Attributes{};
  FERRY_ASSIGN_OR_RETURN(Json parsed, ferry::ParseJson(json));
  return ferry::target::AttributesFromJson(parsed);
}

// What the app's key store answers; nullopt when there is none.
Result<std::optional<ferry::crypto::Secret32>> AskForKey(int (*ask)(void*, unsigned char*),
                                                         void* context) {
  if (ask == nullptr) return std::optional<ferry::crypto::Secret32>();
  ferry::Bytes key(ferry::crypto::Secret32::kBytes);
  const int code = ask(context, key.data());
  if (code != 0)
    return Status::Of(ferry::CodeFromNumber(code).value_or(Code::kInternal), "at_rest_key failed");
  std::optional<ferry::crypto::Secret32> out =
      ferry::crypto::Secret32::From(key, "at_rest_key").value();
  ferry::crypto::Wipe(key);
  return out;
}

}  // namespace

extern "C" {

int ferry_runtime_create(const ferry_options* options, ferry_result_callback on_result, void* user,
                         ferry_runtime** out) {
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  ferry::api::RuntimeOptions settings;
  if (auto sized = ferry::api::CheckOldOptions(options, "ferry_options"); !sized.ok())
    return Return(sized);
  if (options != nullptr) {
    settings.threads = FERRY_MEMBER(options, threads, 0);
    settings.outbox_path = TextOf(FERRY_MEMBER(options, outbox_path, nullptr));
    settings.kv_bytes = FERRY_MEMBER(options, kv_bytes, 0);
    auto key = AskForKey(FERRY_MEMBER(options, at_rest_key, nullptr),
                         FERRY_MEMBER(options, at_rest_context, nullptr));
    if (!key.ok()) return Return(key.status());
    settings.at_rest_key = std::move(*key);
  }
  if (on_result != nullptr)
    settings.on_result = [on_result, user](const Json& result) {
      const ferry::api::CallbackScope inside;
      ferry::api::CallApp("on_result", [&] { on_result(user, ferry::WriteJson(result).c_str()); });
    };
  auto made = ferry::api::RuntimeCore::Create(std::move(settings));
  if (!made.ok()) return Return(made.status());
  return Return(ferry::api::Open(std::make_shared<ferry_runtime>(std::move(*made)), out));
}

void ferry_runtime_destroy(ferry_runtime* runtime) {
  // Callbacks of what still runs may send events until the last has returned.
  const std::shared_ptr<ferry_runtime> closing = ferry::api::StartClosing(runtime);
  if (closing == nullptr) return;
  closing->runtime->Close();
  ferry::api::Close(runtime);
}

int ferry_task_open(ferry_runtime* runtime, const char* package_path) {
  FERRY_FIND(ferry_runtime, self, runtime);
  if (package_path == nullptr) return Missing("package_path");
  return Return(self->runtime->OpenTask(package_path));
}

int ferry_agent_start(ferry_runtime* runtime, const ferry_agent_options* options) {
  FERRY_FIND(ferry_runtime, self, runtime);
  if (options == nullptr) return Missing("options");
  if (auto sized = ferry::api::CheckOldOptions(options, "ferry_agent_options"); !sized.ok())
    return Return(sized);
  if (FERRY_MEMBER(options, directory, nullptr) == nullptr) return Missing("directory");
  ferry::api::AgentSettings settings;
  settings.directory = options->directory;
  settings.join_token = TextOf(FERRY_MEMBER(options, join_token, nullptr));
  settings.push = FERRY_MEMBER(options, push, 1) != 0;
  settings.poll_ms = FERRY_MEMBER(options, poll_ms, 0);
  auto profile = ParseAttributes(FERRY_MEMBER(options, profile_json, nullptr)).Context("profile");
  if (!profile.ok()) return Return(profile.status());
  if (FERRY_MEMBER(options, profile_json, nullptr) != nullptr)
    settings.profile = std::move(*profile);
  auto key = AskForKey(FERRY_MEMBER(options, at_rest_key, nullptr),
                       FERRY_MEMBER(options, at_rest_context, nullptr));
  if (!key.ok()) return Return(key.status());
  settings.at_rest_key = std::move(*key);
  settings.forget_sealed = FERRY_MEMBER(options, forget_sealed, 0) != 0;
  return Return(self->runtime->StartAgent(settings));
}

int ferry_event_send(ferry_runtime* runtime, const char* event_json) {
  FERRY_FIND(ferry_runtime, self, runtime);
  if (event_json == nullptr) return Missing("event_json");
  auto event = ferry::event::ParseEvent(event_json).Context("event");
  return Return(event.ok() ? self->runtime->Send(std::move(*event)) : event.status());
}

int ferry_event_send_durable(ferry_runtime* runtime, const char* event_json) {
  FERRY_FIND(ferry_runtime, self, runtime);
  if (event_json == nullptr) return Missing("event_json");
  auto event = ferry::event::ParseEvent(event_json).Context("event");
  return Return(event.ok() ? self->runtime->SendDurable(std::move(*event)) : event.status());
}

int ferry_conditions_set(ferry_runtime* runtime, const char* conditions_json) {
  FERRY_FIND(ferry_runtime, self, runtime);
  if (conditions_json == nullptr) return Missing("conditions_json");
  return Return(self->runtime->SetConditions(conditions_json));
}

int ferry_flush(ferry_runtime* runtime, int64_t timeout_ms) {
  FERRY_FIND(ferry_runtime, self, runtime);
  return Return(self->runtime->Flush(timeout_ms));
}

int ferry_file_read(ferry_runtime* runtime, const char* package, const char* name, uint8_t** bytes,
                    size_t* size) {
  if (bytes == nullptr) return Missing("bytes");
  if (size == nullptr) return Missing("size");
  *bytes = nullptr;
  *size = 0;
  FERRY_FIND(ferry_runtime, self, runtime);
  if (package == nullptr) return Missing("package");
  if (name == nullptr) return Missing("name");
  const auto file = self->runtime->ReadFile(package, name);
  if (!file.ok()) return Return(file.status());
  // An empty file has an address, too.
  *bytes = static_cast<uint8_t*>(std::malloc(file->size() + 1));
  if (*bytes == nullptr) return Return(Status(Code::kOutOfMemory, name));
  std::copy(file->begin(), file->end(), *bytes);
  *size = file->size();
  return Return(ferry::OkStatus());
}

void ferry_bytes_free(uint8_t* bytes) {
  std::free(bytes);
}

int ferry_consent_set(ferry_runtime* runtime, int given) {
  FERRY_FIND(ferry_runtime, self, runtime);
  return Return(self->runtime->SetConsent(given != 0));
}

int ferry_data_erase(ferry_runtime* runtime, char** receipt_json) {
  if (receipt_json != nullptr) *receipt_json = nullptr;
  FERRY_FIND(ferry_runtime, self, runtime);
  const auto receipt = self->runtime->Erase("app");
  if (receipt.ok() && receipt_json != nullptr) *receipt_json = Copy(ferry::WriteJson(*receipt));
  return Return(receipt.status());
}

int ferry_status(ferry_runtime* runtime, char** json) {
  FERRY_FIND(ferry_runtime, self, runtime);
  if (json == nullptr) return Missing("json");
  Json status = self->runtime->StatusJson();
  status["version"] = ferry_version();
  return ferry::api::GiveText(ferry::WriteJson(status), json);
}

int ferry_policy_matches(const char* rule, const char* attributes_json, const char* salt,
                         int* matches, char** reason) {
  if (rule == nullptr) return Missing("rule");
  if (matches == nullptr) return Missing("matches");
  *matches = 0;
  if (reason != nullptr) *reason = nullptr;
  auto device = ParseAttributes(attributes_json).Context("attributes");
  if (!device.ok()) return Return(device.status());
  auto explained = ferry::text::ExplainText(rule, *device, TextOf(salt)).Context("rule");
  if (!explained.ok()) return Return(explained.status());
  *matches = explained->matches ? 1 : 0;
  if (reason != nullptr) *reason = Copy(explained->reason);
  return Return(ferry::OkStatus());
}

}  // extern "C"
