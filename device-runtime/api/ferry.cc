#include "device-runtime/api/ferry.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "common/base/json.h"
#include "device-runtime/api/c_support.h"
#include "device-runtime/api/runtime.h"
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

constexpr char kVersion[] = "0.1.0";

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

const char* ferry_version(void) {
  return kVersion;
}

const char* ferry_error_text(void) {
  return LastError().c_str();
}

const char* ferry_code_name(int code) {
  const auto known = ferry::CodeFromNumber(code);
  return ferry::InfoOf(known.value_or(Code::kInternal)).name.data();
}

int ferry_runtime_create(const ferry_options* options, ferry_result_callback on_result, void* user,
                         ferry_runtime** out) {
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  ferry::api::RuntimeOptions settings;
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
      on_result(user, ferry::WriteJson(result).c_str());
    };
  auto made = ferry::api::RuntimeCore::Create(std::move(settings));
  if (made.ok()) *out = new ferry_runtime{std::move(*made)};
  return Return(made.status());
}

void ferry_runtime_destroy(ferry_runtime* runtime) {
  delete runtime;
}

int ferry_task_open(ferry_runtime* runtime, const char* package_path) {
  if (runtime == nullptr) return Missing("runtime");
  if (package_path == nullptr) return Missing("package_path");
  return Return(runtime->runtime->OpenTask(package_path));
}

int ferry_agent_start(ferry_runtime* runtime, const ferry_agent_options* options) {
  if (runtime == nullptr) return Missing("runtime");
  if (options == nullptr) return Missing("options");
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
  return Return(runtime->runtime->StartAgent(settings));
}

int ferry_event_send(ferry_runtime* runtime, const char* event_json) {
  if (runtime == nullptr) return Missing("runtime");
  if (event_json == nullptr) return Missing("event_json");
  auto event = ferry::event::ParseEvent(event_json).Context("event");
  return Return(event.ok() ? runtime->runtime->Send(std::move(*event)) : event.status());
}

int ferry_event_send_durable(ferry_runtime* runtime, const char* event_json) {
  if (runtime == nullptr) return Missing("runtime");
  if (event_json == nullptr) return Missing("event_json");
  auto event = ferry::event::ParseEvent(event_json).Context("event");
  return Return(event.ok() ? runtime->runtime->SendDurable(std::move(*event)) : event.status());
}

int ferry_conditions_set(ferry_runtime* runtime, const char* conditions_json) {
  if (runtime == nullptr) return Missing("runtime");
  if (conditions_json == nullptr) return Missing("conditions_json");
  return Return(runtime->runtime->SetConditions(conditions_json));
}

int ferry_flush(ferry_runtime* runtime, int64_t timeout_ms) {
  if (runtime == nullptr) return Missing("runtime");
  return Return(runtime->runtime->Flush(timeout_ms));
}

int ferry_file_read(ferry_runtime* runtime, const char* package, const char* name, uint8_t** bytes,
                    size_t* size) {
  if (bytes == nullptr) return Missing("bytes");
  if (size == nullptr) return Missing("size");
  *bytes = nullptr;
  *size = 0;
  if (runtime == nullptr) return Missing("runtime");
  if (package == nullptr) return Missing("package");
  if (name == nullptr) return Missing("name");
  const auto file = runtime->runtime->ReadFile(package, name);
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
  if (runtime == nullptr) return Missing("runtime");
  return Return(runtime->runtime->SetConsent(given != 0));
}

int ferry_data_erase(ferry_runtime* runtime, char** receipt_json) {
  if (receipt_json != nullptr) *receipt_json = nullptr;
  if (runtime == nullptr) return Missing("runtime");
  const auto receipt = runtime->runtime->Erase("app");
  if (receipt.ok() && receipt_json != nullptr) *receipt_json = Copy(ferry::WriteJson(*receipt));
  return Return(receipt.status());
}

int ferry_status(ferry_runtime* runtime, char** json) {
  if (runtime == nullptr) return Missing("runtime");
  if (json == nullptr) return Missing("json");
  Json status = runtime->runtime->StatusJson();
  status["version"] = kVersion;
  *json = Copy(ferry::WriteJson(status));
  return Return(*json != nullptr ? ferry::OkStatus() : Status(Code::kOutOfMemory, "status"));
}

void ferry_string_free(char* text) {
  std::free(text);
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
